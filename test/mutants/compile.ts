// Compiles the kernel from sources in memory, some of them mutated. Every loop counts its rounds and traps after too
// many, so that a mutation that never ends is an error like any other. Unoptimised and without assertions: what is
// asked is what a release means.
import { readdirSync, readFileSync } from 'node:fs'
import asc from 'assemblyscript/asc'
import { closing, listTokens } from './tokens.ts'

/** Sources of the kernel by their path below `assembly`. */
export type Sources = ReadonlyMap<string, string>

export function readSources(root: URL): Sources {
  const files = readdirSync(new URL('assembly/', root), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  return new Map(files.map((file) => [file, readFileSync(new URL(`assembly/${file}`, root), 'utf8')]))
}

/** Rounds of all loops in the life of one image. A case takes a few millions at most. */
const ROUNDS_MAX = 60_000_000
const ROUNDS = `let rounds: i32 = ${ROUNDS_MAX}
export function round(): void {
  if (--rounds < 0) unreachable()
}
`

/** The bytes of the kernel, or what the compiler says against it. */
export async function compile(root: URL, sources: Sources): Promise<Uint8Array<ArrayBuffer> | string> {
  const { options } = JSON.parse(readFileSync(new URL('asconfig.json', root), 'utf8'))
  const files = new Map<string, string>([
    ['asconfig.json', JSON.stringify({ options })],
    ['assembly/rounds.ts', ROUNDS],
    ...[...sources].map(([file, text]) => [`assembly/${file}`, counting(file, text)] as const),
  ])
  let bytes: Uint8Array<ArrayBuffer> | undefined
  const flags = ['--outFile', 'kernel.wasm', '--optimizeLevel', '0', '--noAssert', '--noValidate']
  const { error, stderr } = await asc.main(['assembly/index.ts', ...flags], {
    readFile: (name) => files.get(name) ?? null,
    writeFile: (_, data) => {
      if (typeof data !== 'string') bytes = data as Uint8Array<ArrayBuffer>
    },
    listFiles: () => [],
  })
  return error === null && bytes !== undefined ? bytes : stderr.toString()
}

/** The source of a file with every loop counted. */
function counting(file: string, text: string): string {
  const tokens = listTokens(text)
  let counted = ''
  let written = 0
  const wrap = (start: number, end: number) => {
    const condition = text.slice(start, end)
    counted += `${text.slice(written, start)}(round()${condition.trim() === '' ? ', true' : `, ${condition}`})`
    written = end
  }
  for (let at = 0; at < tokens.length; at++) {
    const open = tokens[at + 1]
    const word = tokens[at]!.text
    if ((word !== 'while' && word !== 'for') || open?.text !== '(') continue
    const close = closing(tokens, at + 1)
    if (word === 'while') {
      wrap(open.end, tokens[close]!.start)
      continue
    }
    const parts = tokens.slice(at + 2, close).filter(({ text, depth }) => text === ';' && depth === open.depth + 1)
    wrap(parts[0]!.end, parts[1]!.start)
  }
  if (written === 0) return text
  const top = file.includes('/') ? '..' : '.'
  return `import { round } from '${top}/rounds'\n${counted}${text.slice(written)}`
}
