"""An environment of their own for the libraries that the benches compare with; nothing of it enters the project's."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".autolab" / "rivals"
# irrCAC pins an old numpy, and this pingouin is the last that runs on it.
PACKAGES = ("krippendorff==0.9.0", "irrCAC==0.4.4", "pingouin==0.6.1")


def rivals_python() -> Path | None:
    """The interpreter of the rivals' environment, built on first use; None, said on stderr, where it cannot be."""
    python = FOLDER / "bin" / "python"
    done = FOLDER / "installed"
    if done.exists() and done.read_text(encoding="utf-8") == " ".join(PACKAGES):
        return python
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    try:
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(FOLDER)], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *PACKAGES], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The rivals cannot be installed ({error}); they are left out.", file=sys.stderr)
        return None
    done.write_text(" ".join(PACKAGES), encoding="utf-8")
    return python
