// The mutants of the kernel, one after another: each is compiled alone and judged. scripts/test-mutants.mjs runs this in a thread, which it
// ends when a mutant takes for ever.
import { createHash } from 'node:crypto'
import { compile, readSources, type Sources } from './compile.ts'
import { corpus, type Script } from './corpus.ts'
import { judge } from './judge.ts'
import { enumsOf, type Mutation, mutationsOf } from './mutations.ts'

/** The files whose every branch bears on decisions. */
export const FILES: readonly string[] = [
  'decide.ts',
  'conditions.ts',
  'compare.ts',
  'rules.ts',
  'equality.ts',
  'sides.ts',
  'candidates.ts',
  'derive.ts',
  'relations.ts',
  'grants.ts',
  'values.ts',
  'paths.ts',
  'instants.ts',
  'attributes.ts',
  'members.ts',
  'roles.ts',
  'bitset.ts',
  'permissions.ts',
]

export interface Mutant extends Mutation {
  readonly file: string
  /** from 1 */
  readonly line: number
  /** the line as it stands, without space around it */
  readonly at: string
  /** the function around it; empty outside of any */
  readonly within: string
}

export type Fate =
  /** a case, or the compiler's bytes, showed it */
  | { readonly fate: 'caught'; readonly by: string }
  | { readonly fate: 'survived' }
  /** not a kernel, or the very same one: it counts for nothing */
  | { readonly fate: 'refused' | 'same' }

export function mutantsOf(sources: Sources, files: readonly string[]): Mutant[] {
  const enums = enumsOf(sources.get('abi.ts')!)
  return files.flatMap((file) => {
    const text = sources.get(file)
    if (text === undefined) throw new Error(`assembly/${file} does not exist`)
    return mutationsOf(text, enums).map((mutation): Mutant => {
      const before = text.slice(0, mutation.start)
      const line = before.split('\n').length
      const at = text.split('\n')[line - 1]!.trim()
      const [, within = ''] = [...before.matchAll(/^(?:export )?function (\w+)|^\}/gm)].at(-1) ?? []
      return { ...mutation, file, line, at, within }
    })
  })
}

/** Judges kernels, and remembers those that it has seen. */
export class Court {
  readonly #root: URL
  readonly #sources: Sources
  readonly #scripts: readonly Script[]
  readonly #known = new Map<string, Fate>()

  constructor(root: URL, checks: number, seed: number) {
    this.#root = root
    this.#sources = readSources(root)
    this.#scripts = corpus(root, checks, seed)
  }

  /** What nothing was changed in must be found right. @throws when it is not */
  async acquit(): Promise<void> {
    const bytes = await compile(this.#root, this.#sources)
    if (typeof bytes === 'string') throw new Error(bytes)
    const found = judge(new WebAssembly.Module(bytes), this.#scripts)
    if (found !== undefined) throw new Error(`the kernel without a mutation fails: ${found}`)
    this.#known.set(digestOf(bytes), { fate: 'same' })
  }

  async try({ file, start, end, text }: Pick<Mutant, 'file' | 'start' | 'end' | 'text'>): Promise<Fate> {
    const source = this.#sources.get(file)!
    const mutated = `${source.slice(0, start)}${text}${source.slice(end)}`
    const bytes = await compile(this.#root, new Map([...this.#sources, [file, mutated]]))
    if (typeof bytes === 'string') return { fate: 'refused' }
    const digest = digestOf(bytes)
    const fate = this.#known.get(digest) ?? this.#judged(bytes)
    this.#known.set(digest, fate)
    return fate
  }

  #judged(bytes: Uint8Array<ArrayBuffer>): Fate {
    try {
      const by = judge(new WebAssembly.Module(bytes), this.#scripts)
      return by === undefined ? { fate: 'survived' } : { fate: 'caught', by }
    } catch (error) {
      return { fate: 'caught', by: `not a module: ${(error as Error).message}` }
    }
  }
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
