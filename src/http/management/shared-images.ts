// Image files that several PDPs ask for within a moment, each in memory once: a fleet that reconnects would otherwise
// have the server read one file for each, piece by piece, which costs more than sending it. Files are opened in the turn
// in which they were announced: after it another one may have taken the place of one.
import { closeSync, createReadStream, fstatSync, openSync, readFile } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Download } from '../../management/snapshot/snapshot.ts'
import { contained } from '../../model/contained.ts'
import { IMAGE_SHARED_BYTES_MAX, IMAGE_SHARED_MS } from '../../model/limits.ts'

const readWhole = promisify(readFile)

/** A body to send: bytes, or a file in pieces. */
export type Body = Buffer | Readable

interface SharedFile {
  readonly bytes: Promise<Buffer>
  readonly length: number
}

export class SharedImages {
  readonly #keepMs: number
  readonly #files = new Map<string, SharedFile>()
  #length = 0

  constructor(keepMs = IMAGE_SHARED_MS) {
    this.#keepMs = keepMs
  }

  /**
   * The bytes of a download, or a stream when they would be too many beside those that are kept; undefined when another
   * file took the place of the announced one in the moment since.
   */
  async open({ content, encoded, encoding, position }: Download): Promise<Body | undefined> {
    if ('bytes' in content) return Buffer.from(content.bytes.buffer, content.bytes.byteOffset, content.bytes.byteLength)
    const key = `${position.chain} ${encoding} ${encoded} ${content.path}`
    const shared = this.#files.get(key)
    if (shared !== undefined) return shared.bytes
    const fd = openAnnounced(content.path, encoded)
    if (fd === undefined) return undefined
    if (this.#length + encoded > IMAGE_SHARED_BYTES_MAX) return createReadStream('', { fd })
    const bytes = readWhole(fd).finally(() => closeSync(fd))
    this.#keep(key, { bytes, length: encoded })
    return bytes
  }

  /** For a moment: answers that are being sent hold their bytes themselves. */
  #keep(key: string, file: SharedFile): void {
    this.#files.set(key, file)
    this.#length += file.length
    const drop = contained('the end of a shared image', () => {
      if (this.#files.get(key) !== file) return
      this.#files.delete(key)
      this.#length -= file.length
    })
    file.bytes.catch(drop)
    setTimeout(drop, this.#keepMs).unref()
  }
}

/** Open to read; undefined when it is another file by now, or none. */
function openAnnounced(path: string, length: number): number | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (fstatSync(fd).size === length) return fd
  closeSync(fd)
  return undefined
}
