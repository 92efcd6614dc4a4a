// The record of what moves wrote, kept in a file beside the report so that `undo` can reverse it. All calls for an
// environment are on disk before the first one is made; each answer is appended when it arrives. A move that was killed
// leaves calls without an answer: the objects themselves then show whether those were made. One JSON object on each
// line; an incomplete last line is ignored.
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { ZerohopError } from '../../model/errors.ts'
import type { Answer } from './api-client.ts'
import type { Call, Plan } from './plan.ts'
import { type Environment, refused } from './world.ts'

/** The format of the record: raise it when its meaning changes. */
const FORMAT = 1

/** Calls in one environment. */
interface Head {
  readonly format: typeof FORMAT
  /** epoch ms */
  readonly at: number
  readonly api: string
  readonly foreign: readonly Environment[]
  readonly environment: Environment
  readonly calls: readonly Call[]
}

/** The answer to one call of the head before it, or that it was undone. */
interface Line {
  readonly call: number
  readonly status?: number
  readonly id?: string
  readonly undone?: true
}

/** A call that may have been made. */
export interface Made {
  readonly call: Call
  /** the status of its answer; undefined when the move ended before it */
  readonly status: number | undefined
  /** id of the object, when the answer had one */
  readonly id: string | undefined
}

/** The calls of one move in one environment that were not undone. */
export interface Moved {
  readonly api: string
  readonly foreign: readonly Environment[]
  readonly environment: Environment
  /** by their number in the record */
  readonly made: ReadonlyMap<number, Made>
}

/** The file to which moves and undos append. */
export class MoveRecord {
  readonly #path: string
  #file: number | undefined
  /** number of the first call of the head that was written last */
  #first = 0

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Everything that was moved and not undone, in the order of the moves. @throws MIGRATION_REFUSED when the file is not
   * a record
   */
  read(): Moved[] {
    if (!existsSync(this.#path))
      throw refused(`the record ${this.#path} does not exist: zerohop migrate move writes it to the file of --record`)
    return readLines(readFileSync(this.#path, 'utf8'), this.#path)
  }

  /**
   * Records the calls that are made next; they are on disk when it returns. @throws CONFIG_INVALID when the file cannot
   * be written
   */
  begin(api: string, foreign: readonly Environment[], { environment, calls }: Plan, now: number): void {
    this.#first = existsSync(this.#path) ? countOf(readFileSync(this.#path, 'utf8'), this.#path) : 0
    const head: Head = { format: FORMAT, at: now, api, foreign, environment, calls }
    this.#add(head)
    this.sync()
  }

  /** Records the answer to a call, by its index in the plan. */
  answered(at: number, { status, body }: Answer): void {
    const { id } = body ?? {}
    this.#add({ call: this.#first + at, status, ...(typeof id === 'string' ? { id } : {}) } satisfies Line)
  }

  /** Records that a call was undone, or that its object no longer exists. @param call its number in the record */
  undone(call: number): void {
    this.#add({ call, undone: true } satisfies Line)
  }

  /** Returns when everything is on disk. */
  sync(): void {
    if (this.#file !== undefined) fsyncSync(this.#file)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #add(line: Head | Line): void {
    try {
      this.#file ??= opened(this.#path)
      writeSync(this.#file, `${JSON.stringify(line)}\n`)
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error)
      throw new ZerohopError(
        'CONFIG_INVALID',
        { reason: `\`${this.#path}\` cannot be written: ${reason}` },
        { cause: error },
      )
    }
  }
}

/** Opens the file for appending and ends an incomplete last line. The name of a new file is synced to disk. */
function opened(path: string): number {
  const isNew = !existsSync(path)
  const file = openSync(path, 'a+', 0o600)
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  if (size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n') writeSync(file, '\n')
  if (isNew) {
    const folder = openSync(dirname(path), 'r')
    fsyncSync(folder)
    closeSync(folder)
  }
  return file
}

function* linesOf(text: string, path: string): Generator<Head | Line> {
  for (const [at, line] of text.split('\n').entries()) {
    const read = parsed(line)
    if (at === 0 && (read === undefined || (read as Head).format !== FORMAT))
      throw refused(`${path} is not a record of zerohop migrate move`)
    if (read !== undefined) yield read
  }
}

function parsed(line: string): Head | Line | undefined {
  try {
    const read: unknown = JSON.parse(line)
    return typeof read === 'object' && read !== null ? (read as Head | Line) : undefined
  } catch {
    return undefined
  }
}

const countOf = (text: string, path: string): number => {
  let count = 0
  for (const line of linesOf(text, path)) if ('calls' in line) count += line.calls.length
  return count
}

function readLines(text: string, path: string): Moved[] {
  const moves: (Moved & { readonly made: Map<number, Made> })[] = []
  const holder = new Map<number, Map<number, Made>>()
  for (const line of linesOf(text, path)) {
    if ('calls' in line) {
      const { api, foreign, environment, calls } = line
      const first = holder.size
      const made = new Map<number, Made>()
      for (const [at, call] of calls.entries()) {
        made.set(first + at, { call, status: undefined, id: undefined })
        holder.set(first + at, made)
      }
      moves.push({ api, foreign, environment, made })
      continue
    }
    const made = holder.get(line.call)
    const before = made?.get(line.call)
    if (made === undefined || before === undefined) continue
    if (line.undone) made.delete(line.call)
    else made.set(line.call, { ...before, status: line.status, id: line.id })
  }
  return moves.filter(({ made }) => made.size > 0)
}
