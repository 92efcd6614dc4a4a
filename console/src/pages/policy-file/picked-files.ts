// Policy files that somebody picked: read as text within bounds, and the line of a problem in one of them. Nothing is
// judged here: the server reads what is in them.

/** As `POST …/validate` takes them. */
export interface PickedFile {
  readonly name: string
  readonly text: string
}

/** What is read of a file of the browser. */
export interface ReadableFile {
  readonly name: string
  /** bytes */
  readonly size: number
  arrayBuffer(): Promise<ArrayBuffer>
}

const MIB = 1024 * 1024
/** Bytes of one file, as for the server (POLICY_FILE_BYTES_MAX). */
const FILE_MAX = 4 * MIB
/** Bytes of all files: with what JSON adds they fit into one request of the server (BULK_BODY_BYTES_MAX). */
const TOGETHER_MAX = 12 * MIB
const FILES_MAX = 1_000

export interface Picked {
  readonly files: readonly PickedFile[]
  /** why some are missing, a sentence each */
  readonly refused: readonly string[]
}

/** The files with others beside them; one of the same name takes the place of the earlier one. Never throws. */
export async function withPicked(files: readonly PickedFile[], more: readonly ReadableFile[]): Promise<Picked> {
  const byName = new Map(files.map((file) => [file.name, file]))
  const refused: string[] = []
  for (const file of more) {
    const others = [...byName.values()].filter(({ name }) => name !== file.name)
    const together = others.reduce((sum, { text }) => sum + countBytes(text), file.size)
    if (file.size > FILE_MAX) refused.push(`${file.name} is larger than 4 MiB. Split it into several files.`)
    else if (together > TOGETHER_MAX)
      refused.push(`${file.name} wasn't added: the files are larger than 12 MiB in total.`)
    else if (others.length >= FILES_MAX) refused.push(`${file.name} wasn't added: there are already 1,000 files.`)
    else {
      const text = await readText(file)
      if (text === undefined) refused.push(`${file.name} isn't UTF-8 text or can't be read.`)
      else byName.set(file.name, { name: file.name, text })
    }
  }
  return { files: [...byName.values()], refused }
}

async function readText(file: ReadableFile): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return undefined
  }
}

const countBytes = (text: string): number => new TextEncoder().encode(text).length

export interface PlaceInFile {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly length: number
}

/** Characters of a line that are shown before what is meant, and altogether. */
const BEFORE_MAX = 60
const LINE_MAX = 160

/** The line of a place, cut around what is meant; undefined when the file is not there. */
export function lineAt(files: readonly PickedFile[], { file, line, column, length }: PlaceInFile) {
  const text = files.find(({ name }) => name === file)?.text
  const whole = text
    ?.replace(/^\uFEFF/, '')
    .split('\n')
    [line - 1]?.replace(/\r$/, '')
  if (whole === undefined) return undefined
  const from = Math.max(0, column - 1 - BEFORE_MAX)
  const shown = whole.slice(from, from + LINE_MAX)
  const at = column - 1 - from
  const more = from + LINE_MAX < whole.length
  return {
    before: `${from > 0 ? '…' : ''}${shown.slice(0, at)}`,
    meant: shown.slice(at, at + length),
    after: `${shown.slice(at + length)}${more ? '…' : ''}`,
  }
}
