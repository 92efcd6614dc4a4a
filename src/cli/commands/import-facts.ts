// `zerohop import FILE.ndjson`: facts as lines are applied in parts, each one revision. Applying a line twice changes
// nothing, so an import that was cut is run again, from the start or from a line on. docs/facts-file.md.
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { dataOf } from '../../client/management-client.ts'
import { retryLost } from '../../client/retry-lost.ts'
import { parseJsonLine } from '../../http/json.ts'
import { FACTS_VERSION, type FactsEnd, type FactsHeader } from '../../management/policy-file/facts-lines.ts'
import { FactsReader } from '../../management/policy-file/facts-reader.ts'
import { STANDARD_INPUT as STANDARD } from '../../management/policy-file/find-files.ts'
import type { FactsImported } from '../../management/schemas/facts-file.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { FACTS_CALLS_AT_ONCE, FACTS_SENT_BYTES_MAX, FACTS_SENT_PER_CALL } from '../../model/limits.ts'
import { plain } from '../../model/plain-text.ts'
import type { Env } from '../configuration/env.ts'
import { madeBy, sayOnStderr } from '../terminal/print-warnings.ts'
import { startCounter } from '../terminal/progress.ts'
import { readFile, wholeLines } from './line-files.ts'
import { type ReasonOptions, toReasons } from './management-api.ts'
import { withOperator } from './operator.ts'
import { resolvePlace, type TargetOptions } from './plan-target.ts'
import { refusalsIn } from './policy-refusals.ts'

export interface ImportFactsOptions extends TargetOptions, ReasonOptions {
  readonly dryRun?: boolean | undefined
  readonly json?: boolean | undefined
  /** number of the first line that is applied */
  readonly fromLine?: number | undefined
}

/** Some lines of a file, which are applied together. */
interface Part {
  /** number of its first line; lines are counted from 1 */
  readonly first: number
  readonly lines: Buffer[]
  bytes: number
  /** what its facts are, when all of them are of one kind */
  kind: string | undefined
}

type Applied = FactsImported & { readonly revision: number }
type Apply = (part: Part) => Promise<Applied>

/** Applies the file and prints the result. Returns the exit code: 1 when a line is refused. */
export async function importFacts(env: Env, file: string, options: ImportFactsOptions): Promise<number> {
  const { dryRun = false, json = false, fromLine = 1, ...target } = options
  const bytes = file === STANDARD ? 0 : readSize(file)
  const counter = startCounter(dryRun ? 'checked' : 'imported', bytes)
  const chunks =
    file === STANDARD ? (process.stdin as AsyncIterable<Uint8Array>) : readFile(file, (read) => counter.add(read))
  const sum = new Sum()
  try {
    await withTarget(env, target, dryRun, async (apply) => {
      const queue = new Queue(apply, sum)
      for await (const part of readParts(chunks, fromLine)) await queue.add(part)
      await queue.empty()
    })
  } catch (error) {
    counter.end()
    if (!(error instanceof RefusedPart)) throw error
    printRefusal(file, error, dryRun)
    return 1
  }
  counter.end()
  const { facts, created, changed, revision } = sum
  if (json) process.stdout.write(`${JSON.stringify({ facts, created, changed, revision }, null, 2)}\n`)
  else if (dryRun)
    process.stdout.write(
      `${counted(facts, 'fact')} of the right form; what they refer to is looked up when they are applied\n`,
    )
  else {
    const [made, other] = [created, changed].map((count) => count.toLocaleString('en-US'))
    const rest = counted(facts - created - changed, 'was as in the file', 'were as in the file')
    process.stdout.write(
      `${counted(facts, 'fact')}: ${made} created, ${other} changed, ${rest}; revision ${revision}\n`,
    )
  }
  return 0
}

function readSize(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` does not exist` })
  return size
}

/** What was applied, of all parts. */
class Sum {
  facts = 0
  created = 0
  changed = 0
  revision = 0

  add({ facts, created, changed, revision }: Applied): void {
    this.facts += facts
    this.created += created
    this.changed += changed
    this.revision = Math.max(this.revision, revision)
  }
}

/** A part that was not applied, and why. */
class RefusedPart extends Error {
  readonly part: Part

  constructor(part: Part, cause: unknown) {
    super('a part was refused', { cause })
    this.part = part
  }
}

/** Applies parts, several at once as long as their facts are of one kind: facts of a kind do not name each other. */
class Queue {
  readonly #apply: Apply
  readonly #sum: Sum
  readonly #running = new Set<Promise<void>>()
  #kind: string | undefined
  /** the first of them in the file */
  #refused: RefusedPart | undefined

  constructor(apply: Apply, sum: Sum) {
    this.#apply = apply
    this.#sum = sum
  }

  /** @throws RefusedPart once a part was refused */
  async add(part: Part): Promise<void> {
    const mayWaitBeside = part.kind !== undefined && part.kind === this.#kind
    while (this.#running.size >= (mayWaitBeside ? FACTS_CALLS_AT_ONCE : 1)) await Promise.race(this.#running)
    if (this.#refused !== undefined) await this.empty()
    this.#kind = part.kind
    const work = this.#apply(part)
      .then((applied) => this.#sum.add(applied))
      .catch((error: unknown) => this.#refuse(part, error))
      .finally(() => this.#running.delete(work))
    this.#running.add(work)
  }

  /** Waits until nothing runs. @throws RefusedPart */
  async empty(): Promise<void> {
    await Promise.all(this.#running)
    if (this.#refused !== undefined) throw this.#refused
  }

  #refuse(part: Part, error: unknown): void {
    if (this.#refused === undefined || part.first < this.#refused.part.first)
      this.#refused = new RefusedPart(part, error)
  }
}

const NOTHING = Buffer.alloc(0)

/**
 * The facts of a file in parts.
 * @throws CONFIG_INVALID when it is not a file of facts, or not whole; then what it has was given out before
 */
async function* readParts(chunks: AsyncIterable<Uint8Array>, fromLine: number): AsyncGenerator<Part, void, undefined> {
  let number = 0
  let header: FactsHeader | undefined
  let facts = 0
  let end: number | undefined
  let part: Part | undefined
  for await (const { bytes } of wholeLines(chunks, 'keep')) {
    for (const line of eachLine(bytes)) {
      number++
      const kind = readKind(line)
      if (header === undefined) {
        header = readHeader(line, number)
        facts = header.skipped ?? 0
      } else if (kind === 'end') {
        end = readEnd(line, number)
      } else if (kind !== undefined && end !== undefined) {
        throw notWhole(`line ${number} follows the line that ends the file`)
      } else {
        if (kind !== undefined) facts++
        if (number < fromLine) continue
        part ??= { first: number, lines: [], bytes: 0, kind }
        part.lines.push(kind === undefined ? NOTHING : line)
        part.bytes += line.length
        if (kind !== undefined && kind !== part.kind) part.kind = undefined
        if (part.lines.length >= FACTS_SENT_PER_CALL || part.bytes >= FACTS_SENT_BYTES_MAX) {
          yield part
          part = undefined
        }
      }
    }
  }
  if (part !== undefined) yield part
  if (header === undefined) throw notWhole('it is empty')
  if (end === undefined && header.revision !== undefined)
    throw notWhole(`it ends after ${counted(facts, 'fact')}, without the line that ends a whole file`)
  if (end !== undefined && end !== facts) throw notWhole(`it has ${counted(facts, 'fact')} instead of ${end}`)
}

const notWhole = (reason: string): ZerohopError =>
  new ZerohopError('CONFIG_INVALID', { reason: `the file of facts is not whole: ${reason}` })

function* eachLine(bytes: Buffer): Iterable<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf('\n', start)
    const end = found < 0 ? bytes.length : found
    yield bytes.subarray(start, end)
    start = end + 1
  }
}

const MEMBER = /^\s*\{\s*"([a-z_]+)"/

/** The name of the first member of a line, `` when it has none; undefined for an empty line. */
function readKind(line: Buffer): string | undefined {
  const text = line.toString('latin1', 0, 64)
  return text.trim() === '' ? undefined : (MEMBER.exec(text)?.[1] ?? '')
}

/** @throws CONFIG_INVALID when it is not one, or one of a version that is not known */
function readHeader(line: Buffer, number: number): FactsHeader {
  let reason = `a file of facts begins with the line {"zerohop_facts":${FACTS_VERSION}}`
  try {
    const header = new FactsReader().add(parseJsonLine(line, number), number)
    if (header !== 'fact' && 'zerohop_facts' in header) return header
  } catch {
    if (readKind(line) === 'zerohop_facts')
      reason = `its facts are in a form that is not known; known is ${FACTS_VERSION}`
  }
  throw new ZerohopError('CONFIG_INVALID', { reason })
}

function readEnd(line: Buffer, number: number): number {
  return (new FactsReader().add(parseJsonLine(line, number), number) as FactsEnd).end.facts
}

/** From where `resolveTarget` would plan; a dry run only looks at the form of the lines. */
async function withTarget(
  env: Env,
  options: TargetOptions & ReasonOptions,
  dryRun: boolean,
  work: (apply: Apply) => Promise<void>,
): Promise<void> {
  if (dryRun) return work(async (part) => ({ facts: checkForm(part).facts, created: 0, changed: 0, revision: 0 }))
  const place = await resolvePlace(env, options, { tries: 1 })
  if (place.api === undefined) {
    const { of, where } = place.folder
    return withOperator(of, ({ run }) =>
      work(async (part) =>
        madeBy(await run('facts.import', { ...where, ...toReasons(options), lines: parseLines(part) })),
      ),
    )
  }
  const { client, path } = place.api
  await work((part) => {
    // a part that is sent again is carried out once, and its answer counts what the first one did
    const key = randomUUID()
    return retryLost(async () => {
      const answer = await client.POST('/v2/facts/{p}/{e}/import', {
        params: { path },
        body: joinLines(part),
        bodySerializer: (body: string) => body,
        headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': key },
      })
      return { ...dataOf(answer), revision: Number(answer.response.headers.get('x-revision')) }
    }, sayOnStderr)
  })
}

const joinLines = ({ lines }: Part): string => lines.map((line) => `${line.toString('utf8')}\n`).join('')

/** The lines that are not empty, each with its place in the part. @throws as `parseJsonLine` */
const parseLines = ({ lines }: Part): (readonly [number, unknown])[] =>
  lines.flatMap((line, at) => {
    const value = parseJsonLine(line, at)
    return value === undefined ? [] : [[at, value] as const]
  })

/** @throws INPUT_INVALID, as the server */
function checkForm(part: Part): FactsReader {
  const reader = new FactsReader()
  for (const [at, value] of parseLines(part)) reader.add(value, at)
  return reader
}

/** What is wrong, with the line, and how to go on. */
function printRefusal(file: string, { part, cause }: RefusedPart, dryRun: boolean): void {
  const [refusal] = refusalsIn(cause)
  const [, at, ...place] = refusal?.path ?? []
  const isOfLine = refusal !== undefined && typeof at === 'number'
  if (isOfLine) {
    const where = place.length === 0 ? '' : `${place.join('.')}: `
    process.stderr.write(`${plain(file)}:${part.first + at}: ${plain(where + refusal.message)}\n`)
  } else process.stderr.write(`zerohop: ${plain(cause instanceof Error ? cause.message : String(cause))}\n`)
  if (dryRun) return
  // where no line is refused, such as a server that went away, the part may be applied
  const first = `the lines before line ${part.first} are applied`
  const next = `${isOfLine ? 'fix the file and ' : ''}continue with --from-line ${part.first}`
  process.stderr.write(`zerohop: ${first}; ${next}\n`)
}
