"""Pictures of pages as small files: PNG with a palette, so that a guide full of them stays light."""

import base64
import struct
import zlib

import numpy as np
import numpy.typing as npt
from playwright.sync_api import Page

MOST_COLOURS = 200
SIGNATURE = b"\x89PNG\r\n\x1a\n"
DECODE = """async picture => {
  const image = await createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (let at = 0; at < pixels.length; at += 32768) text += String.fromCharCode(...pixels.subarray(at, at + 32768));
  return [image.width, image.height, btoa(text)];
}"""

Bytes = npt.NDArray[np.uint8]


def small_png(blank: Page, picture: bytes) -> bytes:
    """The same picture with at most 200 colours; ``blank`` is an empty page, whose browser reads it."""
    width, height, text = blank.evaluate(DECODE, base64.b64encode(picture).decode())
    pixels = np.frombuffer(base64.b64decode(text), dtype=np.uint8).reshape(height, width, 4)[:, :, :3]
    palette, places = reduced(pixels)
    lines = np.concatenate([np.zeros((height, 1), dtype=np.uint8), places], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in parts)


def reduced(pixels: Bytes) -> tuple[Bytes, Bytes]:
    """The most frequent colours of a picture (colours × 3), and for each pixel the nearest of them (rows × columns)."""
    packed = pixels.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    colours, back, counts = np.unique(packed, return_inverse=True, return_counts=True)
    every = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int64)
    kept = every[np.argsort(-counts, kind="stable")[:MOST_COLOURS]]
    nearest = np.concatenate(
        [((part[:, None, :] - kept[None]) ** 2).sum(axis=2).argmin(axis=1) for part in np.array_split(every, 64)]
    )
    return kept.astype(np.uint8), nearest[back].reshape(pixels.shape[:2]).astype(np.uint8)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
