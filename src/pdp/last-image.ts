// The last image on disk, for a restart while the management side cannot be reached. The file is sealed with a key
// derived from the API key (AES-256-GCM), so that another key cannot open it, and is replaced by an atomic rename with
// mode 0600.
//
// The modification time of the file is when the management side last confirmed that the image is current, so that a
// restart does not make a disconnected PDP look fresher.
//
// The nonce is a keyed digest of the image, so that no two images share one and none has to be random.
//
//   magic 'ZHL1' (4) │ nonce (12) │ tag (16) │ sealed image
//   in a second file, where images are signed, a run of: length (4) │ the same of signed deltas; and in a third one the
//   same of what is remembered of the history (src/pdp/pinned.ts)
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { type FileHandle, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ZerohopError } from '../model/errors.ts'
import { FOR_ITS_OWNER, makeFolder } from '../model/folder.ts'
import { type Moment, momentBefore } from '../model/moment.ts'

const MAGIC = Buffer.from('ZHL1')
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = MAGIC.length + NONCE_BYTES + TAG_BYTES
/** Bytes sealed and written in one turn: about two milliseconds of work. */
const SLICE_BYTES = 2 * 1024 * 1024

export class LastImage {
  readonly #path: string
  readonly #readOnly: boolean
  readonly #key: Buffer
  readonly #nonceKey: Buffer
  #busy: Promise<unknown> = Promise.resolve()
  /** bytes of the completely appended pieces */
  #appended = 0
  /** the sealed file is empty: there was nothing to follow */
  #holdsNone = false

  /** `readOnly`: another process of the same PDP keeps the file. */
  constructor(path: string, apiKey: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    this.#path = path
    this.#readOnly = readOnly
    this.#key = Buffer.from(hkdfSync('sha256', apiKey, '', 'zerohop last image', 32))
    this.#nonceKey = Buffer.from(hkdfSync('sha256', apiKey, '', 'zerohop last image nonce', 32))
  }

  /**
   * The image and when it was known to be current; undefined without a file. A file whose time is in the future does
   * not count as known to be current.
   * @throws IMAGE_DAMAGED when the file is damaged or was sealed with another API key
   */
  async read(): Promise<{ bytes: Uint8Array; at: Moment | undefined } | undefined> {
    if (!this.#readOnly) await this.#sweep()
    let file: Buffer
    let modifiedMs: number
    try {
      file = await readFile(this.#path)
      modifiedMs = (await stat(this.#path)).mtimeMs
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new ZerohopError('IMAGE_DAMAGED', { reason: `${this.#path} cannot be read` }, { cause: error })
    }
    const ageMs = Date.now() - Math.floor(modifiedMs)
    const at = ageMs < 0 ? undefined : momentBefore(ageMs)
    const bytes = this.#unseal(file)
    this.#holdsNone = bytes.length === 0
    return { bytes, at }
  }

  /** Replaces the file; `at`: when the image was confirmed to be current, in ms since 1970. */
  write(image: Uint8Array, at: number): Promise<void> {
    return this.#readOnly ? Promise.resolve() : this.#queue(() => this.#write(image, at))
  }

  /** Stores that there is nothing to follow, as an empty sealed file. */
  writeNone(): Promise<void> {
    if (this.#readOnly) return Promise.resolve()
    const at = Date.now()
    return this.#queue(() => (this.#holdsNone ? this.#touch(at) : this.#write(new Uint8Array(), at)))
  }

  /** Stores that the image on disk was confirmed to be current at that time. */
  touch(at: number): Promise<void> {
    return this.#readOnly ? Promise.resolve() : this.#queue(() => this.#touch(at))
  }

  /** Appends bytes behind the image; the next `write` discards them. */
  append(bytes: Uint8Array, at: number): Promise<void> {
    return this.#readOnly ? Promise.resolve() : this.#queue(() => this.#append(bytes, at))
  }

  /** The appended pieces; ends at a damaged or incompletely written one. */
  async *appended(): AsyncGenerator<Uint8Array> {
    const file = await readFile(`${this.#path}.deltas`).catch(() => Buffer.alloc(0))
    this.#appended = 0
    while (this.#appended + 4 <= file.length) {
      const start = this.#appended + 4
      const end = start + file.readUInt32LE(this.#appended)
      if (end > file.length) return
      let piece: Uint8Array
      try {
        piece = this.#unseal(file.subarray(start, end))
      } catch {
        return
      }
      this.#appended = end
      yield piece
    }
  }

  /** What is remembered of the history; undefined when nothing is. @throws IMAGE_DAMAGED */
  async pin(): Promise<Uint8Array | undefined> {
    const file = await readFile(`${this.#path}.pin`).catch(() => undefined)
    return file && this.#unseal(file)
  }

  /** Replaces what is remembered of the history. */
  writePin(pin: Uint8Array): Promise<void> {
    return this.#readOnly ? Promise.resolve() : this.#queue(() => this.#replace(`${this.#path}.pin`, pin, Date.now()))
  }

  /** Deletes the files: the key was revoked or the environment deleted. */
  erase(): Promise<void> {
    return this.#queue(async () => {
      this.#holdsNone = false
      await rm(this.#path, { force: true })
      await rm(`${this.#path}.deltas`, { force: true })
      await rm(`${this.#path}.pin`, { force: true })
    })
  }

  /** Deletes temporary files of processes that were killed while writing. */
  async #sweep(): Promise<void> {
    const folder = dirname(this.#path)
    const begin = `${basename(this.#path)}.`
    for (const name of await readdir(folder).catch(() => [])) {
      const pid = name.startsWith(begin) ? /^(?:pin\.)?(\d+)\.tmp$/.exec(name.slice(begin.length))?.[1] : undefined
      if (pid !== undefined && !isRunning(Number(pid)))
        await rm(join(folder, name), { force: true }).catch(() => undefined)
    }
  }

  #unseal(file: Buffer): Uint8Array {
    if (file.length < HEADER_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC))
      throw damaged(`${this.#path} is not a last image`)
    const nonce = file.subarray(MAGIC.length, MAGIC.length + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce)
    decipher.setAAD(MAGIC)
    decipher.setAuthTag(file.subarray(MAGIC.length + NONCE_BYTES, HEADER_BYTES))
    try {
      const image = decipher.update(file.subarray(HEADER_BYTES))
      decipher.final()
      return image
    } catch {
      throw damaged(`${this.#path} is damaged or belongs to another API key`)
    }
  }

  async #write(image: Uint8Array, at: number): Promise<void> {
    await this.#replace(this.#path, image, at)
    await rm(`${this.#path}.deltas`, { force: true })
    this.#appended = 0
    this.#holdsNone = image.length === 0
  }

  /** Seals the content and puts it in the place of the file as a whole. */
  async #replace(path: string, image: Uint8Array, at: number): Promise<void> {
    const nonce = await this.#computeNonce(image)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(MAGIC)
    makeFolder(dirname(path), FOR_ITS_OWNER)
    const temporary = `${path}.${process.pid}.tmp`
    const file = await open(temporary, 'w', 0o600)
    try {
      for (let done = 0; done < image.length; done += SLICE_BYTES)
        await writeAll(file, cipher.update(image.subarray(done, done + SLICE_BYTES)), HEADER_BYTES + done)
      cipher.final()
      await writeAll(file, Buffer.concat([MAGIC, nonce, cipher.getAuthTag()]), 0)
      await file.utimes(at / 1000, at / 1000)
      await file.sync()
    } catch (error) {
      await file.close()
      await rm(temporary, { force: true })
      throw error
    }
    await file.close()
    await rename(temporary, path)
  }

  async #touch(at: number): Promise<void> {
    await utimes(this.#path, at / 1000, at / 1000)
  }

  /** Writes after the last complete piece, so that one truncated by a full disk is overwritten. */
  async #append(bytes: Uint8Array, at: number): Promise<void> {
    const nonce = await this.#computeNonce(bytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    cipher.setAAD(MAGIC)
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
    const length = Buffer.alloc(4)
    length.writeUInt32LE(HEADER_BYTES + sealed.length)
    const piece = Buffer.concat([length, MAGIC, nonce, cipher.getAuthTag(), sealed])
    const file = await open(`${this.#path}.deltas`, this.#appended === 0 ? 'w' : 'r+', 0o600)
    try {
      await writeAll(file, piece, this.#appended)
      await file.truncate(this.#appended + piece.length)
      await file.sync()
    } finally {
      await file.close()
    }
    this.#appended += piece.length
    await this.#touch(at)
  }

  async #computeNonce(image: Uint8Array): Promise<Buffer> {
    const digest = createHmac('sha256', this.#nonceKey)
    for (let at = 0; at < image.length; at += SLICE_BYTES) {
      digest.update(image.subarray(at, at + SLICE_BYTES))
      await setImmediate()
    }
    return digest.digest().subarray(0, NONCE_BYTES)
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work, work)
    this.#busy = done.catch(() => undefined)
    return done
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Writes all bytes: on a nearly full disk a write may be partial, which only its count shows. */
async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

function damaged(reason: string): ZerohopError {
  return new ZerohopError('IMAGE_DAMAGED', { reason })
}
