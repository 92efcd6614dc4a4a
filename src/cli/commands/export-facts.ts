// `zerohop export --facts FILE.ndjson`: the facts of an environment as lines, in memory that does not grow with them. An
// export that is cut goes on where it was, with the facts of the same revision. docs/facts-file.md.
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readLongAnswer } from '../../client/long-answer.ts'
import { Attempts } from '../../client/retry-lost.ts'
import type { FactsEnd, FactsHeader } from '../../management/policy-file/facts-lines.ts'
import { STANDARD_INPUT as STANDARD } from '../../management/policy-file/find-files.ts'
import { counted } from '../../model/counted.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { makeTemporaryFolder } from '../../store/temporary-folder.ts'
import type { Env } from '../configuration/env.ts'
import { sayOnStderr } from '../terminal/print-warnings.ts'
import { startCounter } from '../terminal/progress.ts'
import { type Lines, nameOfPart, readFile, wholeLines, writeFile } from './line-files.ts'
import { admin } from './operator.ts'
import { type InFolder, resolvePlace, type TargetOptions } from './plan-target.ts'

export interface ExportFactsOptions extends TargetOptions {
  /** a revision or an instant */
  readonly at?: string | undefined
  /** goes on with what an earlier export of the same file left */
  readonly resume?: boolean | undefined
}

/** Which facts: as of when, and how many at the start are there already. */
interface Wanted {
  readonly at: string | undefined
  readonly skip: number
}
type Download = (wanted: Wanted) => AsyncIterable<Uint8Array>

/** Writes the file, or prints it. @throws FEED_UNREACHABLE, API_REFUSED, CONFIG_INVALID */
export async function exportFacts(env: Env, file: string, options: ExportFactsOptions): Promise<void> {
  const { at, resume = false, ...target } = options
  const received = new Received(at)
  const old = resume && file !== STANDARD ? setAside(nameOfPart(file)) : undefined
  const counter = startCounter('facts', 0)
  async function* bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const each of received.all(await findSource(env, target), old)) {
      counter.set(received.facts)
      yield each
    }
  }
  try {
    if (file === STANDARD) await print(bytes())
    else await writeFile(file, bytes())
  } catch (error) {
    const isLeft = file !== STANDARD && existsSync(nameOfPart(file)) && received.facts > 0
    if (isLeft) {
      const left = `${counted(received.facts, 'fact')} are in ${nameOfPart(file)}: --resume goes on with them`
      process.stderr.write(`zerohop: ${left}\n`)
    }
    throw error
  } finally {
    counter.end()
  }
  process.stderr.write(`${counted(received.facts, 'fact')} of revision ${received.revision}\n`)
}

/** Makes room for a new file; undefined without an old one. One that an earlier run did not read to its end is kept. */
function setAside(part: string): string | undefined {
  const old = `${part}.old`
  if (!existsSync(old) && existsSync(part)) renameSync(part, old)
  return existsSync(old) ? old : undefined
}

/** Waits while the reader is slow. */
async function print(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const each of bytes) {
    if (!process.stdout.write(each)) await once(process.stdout, 'drain')
  }
}

/** What has come of an export, whatever it was cut into. */
class Received {
  readonly #at: string | undefined
  #revision: number | undefined
  #hasEnded = false
  facts = 0

  constructor(at: string | undefined) {
    this.#at = at
  }

  get revision(): number | undefined {
    return this.#revision
  }

  /**
   * The lines of the file, once each: those that an earlier export left, then those that come.
   * @param old the file of the earlier export
   */
  async *all(download: Download, old: string | undefined): AsyncGenerator<Uint8Array, void, undefined> {
    if (old !== undefined) yield* this.#left(old)
    const attempts = new Attempts(sayOnStderr)
    while (!this.#hasEnded) {
      try {
        const at = this.#revision === undefined ? this.#at : String(this.#revision)
        for await (const lines of wholeLines(download({ at, skip: this.facts }), 'drop')) {
          attempts.worked()
          yield this.#take(lines)
        }
        if (!this.#hasEnded) throw new ZerohopError('FEED_UNREACHABLE', { reason: 'its answer was cut on the way' })
      } catch (error) {
        await attempts.failed(error)
      }
    }
  }

  /** The file is kept until the new one has all of it. */
  async *#left(old: string): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const lines of wholeLines(readFile(old), 'drop')) yield this.#take(lines)
    } catch (error) {
      if (!isZerohopError(error, 'CONFIG_INVALID')) throw error // a packed file that was cut ends so
    }
    rmSync(old)
  }

  /** The lines without a header that the file has already. @throws FEED_UNREACHABLE when they do not continue it */
  #take({ bytes, count }: Lines): Uint8Array {
    let lines = bytes
    let facts = count
    if (isHeader(bytes)) {
      const end = bytes.indexOf('\n') + 1
      const { revision, skipped = 0 } = JSON.parse(bytes.toString('utf8', 0, end)) as FactsHeader
      facts--
      if (this.#revision !== undefined) {
        if (revision !== this.#revision || skipped !== this.facts)
          throw new ZerohopError('CONFIG_INVALID', { reason: 'the server went on with other facts: start again' })
        lines = bytes.subarray(end)
      }
      this.#revision = revision
    } else if (this.#revision === undefined) {
      throw new ZerohopError('CONFIG_INVALID', { reason: 'the answer is not a file of facts' })
    }
    const last = lines.toString('utf8', lines.lastIndexOf('\n', -2) + 1)
    if (last.startsWith('{"end":')) {
      this.#hasEnded = true
      facts--
      this.facts += facts
      const { end } = JSON.parse(last) as FactsEnd
      if (end.facts !== this.facts)
        throw new ZerohopError('CONFIG_INVALID', { reason: `${this.facts} facts came instead of ${end.facts}` })
    } else this.facts += facts
    return lines
  }
}

const isHeader = (bytes: Buffer): boolean => bytes.subarray(0, 16).toString('utf8').startsWith('{"zerohop_facts"')

/** From where `resolveTarget` would plan. */
async function findSource(env: Env, options: TargetOptions): Promise<Download> {
  const place = await resolvePlace(env, options)
  if (place.api === undefined) return (wanted) => readFolder(place.folder.of, place.folder.where, wanted)
  const { url, path } = place.api
  const [p, e] = [encodeURIComponent(path.p), encodeURIComponent(path.e)]
  const address = `${url.replace(/\/+$/, '')}/v2/facts/${p}/${e}/export`
  return ({ at, skip }) => {
    const query = new URLSearchParams({ skip: String(skip), ...(at === undefined ? {} : { at }) })
    return readLongAnswer(`${address}?${query}`, env.pdpApiKey ?? '')
  }
}

/** The server, or this process, writes a private file in a folder of ours. */
async function* readFolder(
  env: Env,
  where: InFolder,
  { at, skip }: Wanted,
): AsyncGenerator<Uint8Array, void, undefined> {
  const folder = await makeTemporaryFolder()
  try {
    const file = join(resolve(folder.path), 'facts.ndjson')
    await admin(env, 'facts.export', { ...where, file, skip, ...(at === undefined ? {} : { at }) })
    yield* readFile(file)
  } finally {
    await folder.remove()
  }
}
