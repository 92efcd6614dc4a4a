// Lists of the command line: each takes `--all`, prints one row in each line with `--json`, and holds no more of a long
// list than its first rows.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it, vi } from 'vitest'
import { ALL } from '../../src/cli/terminal/command-line.ts'
import { type Column, printList } from '../../src/cli/terminal/print-list.ts'
import { LIST_ROWS_MEASURED, LIST_ROWS_SHOWN_MAX } from '../../src/model/limits.ts'
import { printedBy } from '../support/printed.ts'
import { ROOT } from '../tidy/source.ts'

const LISTS = [
  ...['grants', 'group-rules list', 'history', 'keys list', 'log', 'org list', 'pdps', 'proposals', 'requests list'],
]

type Add = (program: Command) => void

/** What every file of a command line adds. */
async function makeProgram(): Promise<Command> {
  const program = new Command()
  const folder = join(ROOT, 'src/cli/commands')
  for (const file of readdirSync(folder).filter((name) => /-commands?\.ts$/.test(name))) {
    const found = (await import(join(folder, file))) as Readonly<Record<string, Add>>
    for (const [name, add] of Object.entries(found)) if (/^add[A-Z]/.test(name)) add(program)
  }
  return program
}

it('every list of the command line takes --all, and prints a row in each line with --json', async () => {
  const every = (command: Command, names: readonly string[] = []): (readonly [string, Command])[] =>
    command.commands.flatMap((each) => {
      const path = [...names, each.name()]
      return [[path.join(' '), each] as const, ...every(each, path)]
    })
  const option = (command: Command, name: string) => command.options.find(({ long }) => long === name)?.description
  const lists = every(await makeProgram()).filter(([, command]) => / per line/.test(option(command, '--json') ?? ''))
  expect(lists.map(([name]) => name).sort()).toEqual(LISTS)
  expect(lists.filter(([, command]) => option(command, '--all') !== ALL).map(([name]) => name)).toEqual([])
})

interface Row {
  readonly key: string
  readonly note?: string
}
const COLUMNS: readonly Column<Row>[] = [
  { head: 'key', cell: ({ key }) => key },
  { head: 'note', cell: ({ note = '' }) => note, isSaid: ({ note }) => note !== undefined },
  { head: 'size', cell: ({ key }) => String(key.length) },
]

describe('a list', () => {
  /** how many lines were printed when a row was asked for */
  let before: number[]
  const print = async (count: number, options: object, note: (at: number) => object = () => ({})) => {
    before = []
    const spied = { text: '' }
    const rows = async function* () {
      const write = vi.mocked(process.stdout.write)
      for (let at = 0; at < count; at++) {
        before.push(write.mock.calls.length)
        yield { key: `row-${at}`, ...note(at) }
      }
    }
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    spied.text = await printedBy(() => printList(rows(), COLUMNS, options))
    const noted = err.mock.calls.map(([text]) => String(text)).join('')
    err.mockRestore()
    return { lines: spied.text.split('\n').slice(0, -1), noted }
  }

  it('of a few rows leaves out columns that say nothing', async () => {
    expect(await print(2, {})).toEqual({ lines: ['key    size', 'row-0  5', 'row-1  5'], noted: '' })
    const { lines } = await print(2, {}, (at) => (at === 1 ? { note: 'n\u001b[31m' } : {}))
    expect(lines[0]).toBe('key    note    size')
    expect(lines.join('')).not.toContain('\u001b')
    expect((await print(0, {})).lines).toEqual(['key  size'])
    expect((await print(0, { json: true })).lines).toEqual([])
  })

  it('is cut and says so, but not with --all or as JSON', async () => {
    const more = LIST_ROWS_SHOWN_MAX + 2
    const cut = await print(more, {})
    expect([cut.lines.length, cut.noted]).toEqual([
      LIST_ROWS_SHOWN_MAX + 1,
      `zerohop: only the first ${LIST_ROWS_SHOWN_MAX} are shown: --all shows all of them\n`,
    ])
    expect(await print(LIST_ROWS_SHOWN_MAX, {})).toMatchObject({ noted: '' })
    for (const options of [{ all: true }, { json: true }])
      expect(await print(more, options)).toMatchObject({
        lines: { length: more + ('all' in options ? 1 : 0) },
        noted: '',
      })
  })

  it('is printed as it comes, with every column', async () => {
    const count = LIST_ROWS_MEASURED + 500
    const { lines } = await print(count, { all: true }, (at) => (at === count - 1 ? { note: 'late' } : {}))
    expect(lines[0]).toBe('key       note  size')
    expect(lines.at(-1)).toBe(`row-${count - 1}  late  8`)
    // no more than the first rows are waiting
    expect(before.map((printed, at) => at + 1 - printed).filter((waiting) => waiting > LIST_ROWS_MEASURED + 1)).toEqual(
      [],
    )
    await print(300, { json: true })
    expect(before).toEqual(Array.from({ length: 300 }, (_, at) => at))
  })
})
