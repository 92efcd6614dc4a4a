// Access diffs that are wrong in one point each: copies of src/image/access-diff in which one piece of code is another.
// Each is told from the right one by some example of access-diff-examples.ts.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { accessDiff } from '../../src/image/access-diff/access-diff.ts'

const SOURCES = join(import.meta.dirname, '../..')
const BUILT = join(SOURCES, 'dist')
const FOLDER = join(SOURCES, 'src/image/access-diff')

/** What a copy has instead: the file, the code, and what stands in its place. */
type Mutation = readonly [file: string, code: string, instead: string]

export const FORGETTING: Readonly<Record<string, Mutation>> = {
  'roles that extend a changed one': ['reach-roles.ts', 'affected.add(kernel.key(child, Role.Key))', 'void child'],
  'a changed assignment in a tenant': [
    'reach-roles.ts',
    'if (tenant !== undefined) this.#askGrant',
    'if (tenant === "") this.#askGrant',
  ],
  'a derivation': ['reach-relations.ts', ' || this.#derivationOf(0, key) !== this.#derivationOf(1, key)', ''],
  'roles from which a changed one is derived': [
    'reach-relations.ts',
    'roles.add(kernel.word(at + Rule.Source))',
    'void at',
  ],
  'a tuple': ['reach-relations.ts', 'if (!this.#isRelated(side, tuple)) continue', 'continue'],
  'what is derived below an assignment': [
    'reach-relations.ts',
    'this.#askEach([who], this.#below(side, where))',
    'this.#askEach([who], [where])',
  ],
  'sets below a changed parent': ['dirty-sets.ts', 'dirty.add(child)', 'void child'],
  'a declared attribute': ['dirty-sets.ts', 'if (before !== after) declared.add(key)', ''],
  'instances that conditions follow': ['dirty-sets.ts', '...[...changed.instances].map(typeOf)', ''],
  'attributes of a user': ['reach-rules.ts', 'note(key, OF_ATTRIBUTES)', 'void key'],
  'that tenants of a user are read': [
    'reach-rules.ts',
    'of this.#changed.memberships) note(user, OF_TIES)',
    'of this.#changed.memberships) void user',
  ],
  'attributes of a tenant': ['reach-rules.ts', '=== 0 ? alone : [...alone, ...changed]', '=== 0 ? alone : alone'],
  'a deleted tenant': ['reach-rules.ts', '? alone : [...alone, ...changed]', '? [] : changed'],
  'attributes of an instance': [
    'reach-rules.ts',
    'if (instances !== undefined) truth.ask(permission, rule, { instances })',
    '',
  ],
  'an instance that moved': ['reach-rules.ts', 'this.#askMoved()\n', '\n'],
  'a changed set rule': ['reach-rules.ts', 'changedRules.has(nameOf(permission, rule)) ||', ''],
  'that those who are alike have the same values': [
    'alike.ts',
    "if (values.every(({ length }) => length === 0)) return ''",
    "if (values.length >= 0) return ''",
  ],
  'that a rule may tell by their keys those who are alike': [
    'alike.ts',
    '((userReads | resourceReads) & OF_ONE) === 0',
    'userReads + resourceReads >= 0',
  ],
  'what the type covers': [
    'questions.ts',
    'if (before === after && this.ask(user, permission, after) !== NEITHER) return',
    '',
  ],
  'that a rule which reads the resource is conditional on a type': [
    'side.ts',
    'all.filter((rule) => !readsInstance(rule))',
    'all',
  ],
  'the order of reasons': ['side.ts', 'compareText(name, first) < 0', 'compareText(name, first) > 0'],
  'that new users are apart': ['flips.ts', "ofUser === 0 ? 'new_user'", 'ofUser === 0 ? undefined'],
}

/** The access diff with one mutation, written to a folder. @throws when its code does not stand there exactly once */
export async function wrongDiff([file, code, instead]: Mutation, folder: string): Promise<typeof accessDiff> {
  const outfile = join(folder, `${file}-${hash(code)}.mjs`)
  await build({
    entryPoints: [join(FOLDER, 'access-diff.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutation',
        setup({ onLoad, onResolve }) {
          // What is outside of the folder is the build, loaded once for all copies.
          onResolve({ filter: /^\.\.\// }, ({ path, resolveDir }) => {
            const built = join(BUILT, relative(SOURCES, join(resolveDir, path))).replace(/\.ts$/, '.js')
            return { path: pathToFileURL(built).href, external: true }
          })
          onLoad({ filter: /access-diff[\\/][\w-]+\.ts$/ }, ({ path }) => {
            const text = readFileSync(path, 'utf8')
            if (!path.endsWith(`/${file}`)) return { contents: text, loader: 'ts' }
            if (text.split(code).length !== 2) throw new Error(`${file} does not have the code once: ${code}`)
            return { contents: text.replace(code, () => instead), loader: 'ts' }
          })
        },
      },
    ],
  })
  const module = (await import(pathToFileURL(outfile).href)) as { accessDiff: typeof accessDiff }
  return module.accessDiff
}

const hash = (text: string): number => [...text].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) >>> 0, 7)
