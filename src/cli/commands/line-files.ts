// Files of facts on this machine: read as pieces of whole lines, and written so that a file of that name is whole. A
// name that ends with `.gz` is packed.
import { createReadStream, createWriteStream, existsSync, realpathSync, renameSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { contained } from '../../model/contained.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { FACTS_LINE_BYTES_MAX } from '../../model/limits.ts'

const LINE_END = 0x0a
const isPacked = (file: string): boolean => /\.gz(\.partial(\.old)?)?$/i.test(file)

/** True for names of files of facts. */
export const isFactsFile = (file: string): boolean => /\.ndjson(\.gz)?$/i.test(file)

/** Whole lines, with the end of each. */
export interface Lines {
  readonly bytes: Buffer
  readonly count: number
}

/**
 * Cuts bytes into whole lines.
 * @param last what becomes of a last line without an end: of an answer that was cut it is a part of a line
 * @throws LIMIT_EXCEEDED for a line that is too long
 */
export async function* wholeLines(
  chunks: AsyncIterable<Uint8Array>,
  last: 'keep' | 'drop',
): AsyncGenerator<Lines, void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(LINE_END) + 1
    rest = bytes.subarray(end)
    if (rest.length > FACTS_LINE_BYTES_MAX)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'a line in bytes', limit: FACTS_LINE_BYTES_MAX })
    if (end > 0) yield { bytes: bytes.subarray(0, end), count: countLines(bytes, end) }
  }
  if (rest.length > 0 && last === 'keep') yield { bytes: rest, count: 1 }
}

function countLines(bytes: Buffer, end: number): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_END); at >= 0 && at < end; at = bytes.indexOf(LINE_END, at + 1)) count++
  return count
}

/** The bytes of a file, unpacked. @param onRead hears how many of its bytes were read. @throws CONFIG_INVALID */
export async function* readFile(
  file: string,
  onRead: (bytes: number) => void = () => undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = createReadStream(file)
  const heard = (chunk: string | Buffer): void => onRead(chunk.length)
  source.on('data', contained('a piece of a file', heard))
  const unpacked = isPacked(file) ? createGunzip() : undefined
  if (unpacked !== undefined) {
    source.on('error', (error) => unpacked.destroy(error))
    source.pipe(unpacked)
  }
  try {
    for await (const chunk of (unpacked ?? source) as AsyncIterable<Buffer>) yield chunk
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be read: ${reason}` }, { cause: error })
  } finally {
    source.destroy()
  }
}

/** A file gets its name when it is whole; until then it is called so. */
export const nameOfPart = (file: string): string => `${findPlace(file)}.partial`

/** The file itself where the name is a link: the link stays. */
const findPlace = (file: string): string => (existsSync(file) ? realpathSync(file) : file)

/**
 * Writes a file as the bytes come. Nothing is touched before the first ones are there. What takes the place of a file
 * has its mode; only the owner may read a new one.
 * @throws CONFIG_INVALID when it cannot be written, and what the bytes throw
 */
export async function writeFile(file: string, bytes: AsyncGenerator<Uint8Array, void, undefined>): Promise<void> {
  const first = await bytes.next()
  const all = first.done === true ? [] : startWith(first.value, bytes)
  try {
    const there = statSync(file, { throwIfNoEntry: false })
    const isDevice = there?.isFile() === false // or a pipe
    const to = createWriteStream(isDevice ? file : nameOfPart(file), { mode: there?.mode ?? 0o600 })
    if (isPacked(file)) await pipeline(all, createGzip({ level: 1 }), to)
    else await pipeline(all, to)
    if (!isDevice) renameSync(nameOfPart(file), findPlace(file))
  } catch (error) {
    if (isZerohopError(error)) throw error
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${reason}` }, { cause: error })
  }
}

async function* startWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
