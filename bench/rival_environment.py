"""Environments of their own for the software that the benches compare with; nothing of it enters the project's."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# irrCAC pins an old numpy, and this pingouin is the last that runs on it.
PACKAGES = ("krippendorff==0.9.0", "irrCAC==0.4.4", "pingouin==0.6.1")


def rivals_python(packages: tuple[str, ...] = PACKAGES, name: str = "rivals") -> Path | None:
    """The interpreter of the rivals' environment, built on first use; None, said on stderr, where it cannot be."""
    folder = ROOT / ".autolab" / name
    python = folder / "bin" / "python"
    done = folder / "installed"
    if done.exists() and done.read_text(encoding="utf-8") == " ".join(packages):
        return python
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    try:
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The rivals cannot be installed ({error}); they are left out.", file=sys.stderr)
        return None
    done.write_text(" ".join(packages), encoding="utf-8")
    return python
