// Runs the tidy rules over the repository, and each rule over an example that it must catch: a rule that cannot fail
// proves nothing.
import { describe, expect, it } from 'vitest'
import { findInSource, LIMITS } from './tidy/language.ts'
import { RULES, type RuleName } from './tidy/rules.ts'
import { readRepository, readSource } from './tidy/source.ts'
import { lowerLimits } from './wording/counts.ts'

const repository = readRepository()

/** For each rule: files that break it, and the line of the first finding. */
const BROKEN: Record<RuleName, { files: Record<string, string>; line: number; mend: RegExp }[]> = {
  layers: [
    { files: { 'src/store/a.ts': "//\nimport { x } from '../management/objects/b.ts'" }, line: 2, mend: /lies above/ },
    { files: { 'src/store/a.ts': "//\nexport * from '../image/b.ts'" }, line: 2, mend: /same floor/ },
    { files: { 'src/model/a.ts': "import type { X } from '../log/b.ts'" }, line: 1, mend: /lies above/ },
    { files: { 'src/http/a.ts': "const { x } = await import(\n'../server.ts')" }, line: 1, mend: /lies above/ },
    { files: { 'src/management/rules/a.ts': "import '../../../test/support/b.ts'" }, line: 1, mend: /must not import/ },
    {
      files: { 'src/image/a.ts': "import { KERNEL_BASE64 } from '../../build/kernel.ts'" },
      line: 1,
      mend: /must not import/,
    },
    { files: { 'src/odd/a.ts': "import '../model/b.ts'" }, line: 1, mend: /no floor/ },
    {
      files: { 'src/image/list/a.ts': "//\nimport { Grant } from '../../../assembly/abi.ts'" },
      line: 2,
      mend: /image\/records/,
    },
  ],
  rooms: [
    {
      files: {
        'src/store/a.ts': "//\nimport type { X } from './disk/b.ts'",
        'src/store/disk/b.ts': "import { y } from '../a.ts'",
      },
      line: 2,
      mend: /import each other/,
    },
  ],
  firstVersion: [
    {
      files: { 'src/management/roles/a.ts': "//\nimport { x } from '../../v1/use-cases/b.ts'" },
      line: 2,
      mend: /mounts/,
    },
  ],
  packages: [
    {
      files: { 'src/management/a.ts': "import { open } from 'lmdb'" },
      line: 1,
      mend: /only src\/store\/lmdb\.ts imports lmdb/,
    },
    { files: { 'src/pdp/a.ts': "import type { X } from 'fastify'" }, line: 1, mend: /only src\/http/ },
    { files: { 'src/server.ts': "import swagger from '@fastify/swagger'" }, line: 1, mend: /only src\/http/ },
    { files: { 'src/store/a.ts': "import { Counter } from 'prom-client'" }, line: 1, mend: /only src\/http/ },
    { files: { 'src/http/a.ts': "import { trace } from '@opentelemetry/api'" }, line: 1, mend: /only src\/cli/ },
  ],
  words: [
    {
      files: { 'src/image/a.ts': '// WebAssembly is fine in a comment\nnew WebAssembly.Memory()' },
      line: 2,
      mend: /src\/kernel/,
    },
    {
      files: { 'src/cli/commands/serve.ts': `const a = \`in a template \${process.env.HOME}\`` },
      line: 1,
      mend: /env\.ts/,
    },
    { files: { 'src/store/a.ts': '//\nmkdirSync(at, { recursive: true })' }, line: 2, mend: /makeFolder/ },
    { files: { 'src/pdp/a.ts': 'if (/["\']/.test(x)) process.exit(1)' }, line: 1, mend: /only src\/cli/ },
    { files: { 'src/management/a.ts': 'const now = Date.now()' }, line: 1, mend: /time/ },
    { files: { 'src/management/a.ts': 'const now = new Date()' }, line: 1, mend: /time/ },
    { files: { 'src/log/a.ts': "import { randomUUID } from 'node:crypto'" }, line: 1, mend: /randomness/ },
    { files: { 'test/a.test.ts': 'const pool = new pg.Pool({ max: 1 })' }, line: 1, mend: /openPool/ },
    { files: { 'src/log/a.ts': '\n// @ts-ignore\nx' }, line: 2, mend: /type/ },
    { files: { 'src/image/list/a.ts': '//\nkernel.calls.find(Table.Users, 3)' }, line: 2, mend: /look-up\.ts/ },
    { files: { 'src/image/list/a.ts': 'this.#kernel.word(at + 8)' }, line: 1, mend: /image\/records/ },
    { files: { 'src/image/list/a.ts': '//\nkernel.words[at] = id' }, line: 2, mend: /image\/records/ },
    { files: { 'src/image/a.ts': 'calls.findPermission(3)' }, line: 1, mend: /look-up\.ts/ },
    { files: { 'src/image/a.ts': 'calls.listOrdered(Table.Users, 0, 0, 9)' }, line: 1, mend: /dead/ },
    { files: { 'src/image/filter/a.ts': 'calls.putInstance(1, 2, 3)' }, line: 1, mend: /stores/ },
    { files: { 'src/image/image.ts': "new Lookaside('users')" }, line: 1, mend: /live-ids\.ts/ },
  ],
  names: [
    { files: { 'src/management/utils.ts': '' }, line: 1, mend: /noun/ },
    { files: { 'src/helpers/a.ts': '' }, line: 1, mend: /noun/ },
    { files: { 'test/common.ts': '' }, line: 1, mend: /noun/ },
  ],
  skips: [
    { files: { 'test/a.test.ts': "\nit.only('x', () => {})" }, line: 2, mend: /remove/ },
    { files: { 'test/a.test.ts': "it.skip('x', () => {})" }, line: 1, mend: /why/ },
    { files: { 'test/a.test.ts': "describe.skipIf(x)('y', () => {})" }, line: 1, mend: /why/ },
  ],
  notes: [{ files: { 'src/a.ts': 'x()\n// TODO: later' }, line: 2, mend: /issue/ }],
  machines: [
    { files: { 'docs/a.md': 'see `/home/someone/zerohop`' }, line: 1, mend: /machine path/ },
    { files: { 'package.json': '{\n"resolved": "x" }' }, line: 2, mend: /registry/ },
  ],
  temporaryFolders: [
    { files: { 'src/http/a.ts': "//\nconst folder = mkdtempSync('zerohop-')" }, line: 2, mend: /makeTemporaryFolder/ },
  ],
  headers: [{ files: { 'src/management/a.ts': "import './b.ts'\n" }, line: 1, mend: /comment/ }],
  endings: [{ files: { 'src/management/a.ts': "import './b'" }, line: 1, mend: /'\.\/b\.ts'/ }],
  promises: [
    { files: { 'src/http/a.ts': '//\nfind(key: string): Pdp | Promise<Pdp> {' }, line: 2, mend: /split/ },
    { files: { 'src/http/a.ts': 'find(): Promise<Map<string, Pdp>> | Map<string, Pdp>' }, line: 1, mend: /split/ },
    { files: { 'src/http/a.ts': 'const find = (): Promise<void> | undefined => later' }, line: 1, mend: /split/ },
    { files: { 'src/http/a.ts': 'interface A { run: () => void | PromiseLike<void> }' }, line: 1, mend: /split/ },
    { files: { 'src/http/a.ts': 'function wait(found: Pdp | Promise<Pdp>): void {}' }, line: 1, mend: /split/ },
    { files: { 'src/http/a.ts': 'type Awaitable<T> = T | Promise<T>' }, line: 1, mend: /split/ },
    { files: { 'src/http/a.ts': '\ntype A =\n  | string\n  | Promise<string>' }, line: 4, mend: /split/ },
  ],
  callbacks: [
    {
      files: { 'src/http/a.ts': "app.addHook('onResponse', (request, reply, done) => done())" },
      line: 1,
      mend: /hooks/,
    },
    { files: { 'src/http/a.ts': "\napp.addHook('onSend', hook)" }, line: 2, mend: /holdSending/ },
    { files: { 'src/pdp/a.ts': 'setTimeout(() => this.#run(), 5)' }, line: 1, mend: /contained/ },
    { files: { 'src/pdp/a.ts': 'const run = () => read()\nsetInterval(run, 5)' }, line: 2, mend: /contained/ },
    { files: { 'src/pdp/a.ts': 'setImmediate(this.run)' }, line: 1, mend: /contained/ },
    { files: { 'src/store/a.ts': "child.on('close', (code) => {\n  said(code)\n})" }, line: 1, mend: /of on/ },
    { files: { 'src/store/a.ts': "process.once('SIGHUP', () => load())" }, line: 1, mend: /of once/ },
    { files: { 'src/store/a.ts': 'void this.#round(a).finally(() => this.#plan(b))' }, line: 1, mend: /inBackground/ },
    { files: { 'src/store/a.ts': 'void wait(a).then(() => {' }, line: 1, mend: /inBackground/ },
  ],
  stored: [
    { files: { 'src/image/list/a.ts': '//\neachGrantOfUserStored(kernel, user)' }, line: 2, mend: /in force/ },
    { files: { 'assembly/decide/rebac.ts': 'const grant = findGrantStored(user, at)' }, line: 1, mend: /in force/ },
    {
      files: { 'src/image/list/a.ts': 'const grant = kernel.calls.grantOf(user, tenant)' },
      line: 1,
      mend: /findGrant/,
    },
    { files: { 'src/image/list/a.ts': 'if (this.#kernel.calls.decide(a, b, c) === 1)' }, line: 1, mend: /atInstant/ },
    { files: { 'src/image/list/a.ts': '\nverdict = calls.decideOn(a, b, c, d)' }, line: 2, mend: /atInstant/ },
  ],
  language: [
    { files: { 'src/pdp/a.ts': '//\nfunction rolesOf() {}' }, line: 2, mend: /"function rolesOf": .*at most 0/ },
    { files: { 'console/src/a.ts': 'const told = 1' }, line: 1, mend: /noun/ },
    { files: { 'test/a.ts': '/**\n * What users may do\n */' }, line: 2, mend: /sentence/ },
    { files: { 'scripts/a.mjs': 'f() // the tenant of which a user is a member' }, line: 1, mend: /whose/ },
  ],
}

/** What looks like a broken rule but keeps it. */
const SOUND: Record<string, string> = {
  'src/http/a.ts': "// TODO(#12) later\nimport { check } from '../pdp/pdp.ts'\nexport const now = () => Date.now()",
  'src/pdp/pdp.ts':
    "// import '../http/a.ts'\nimport { x } from './request.ts'\nconst text = \"process.env and import '../http/a.ts'\" // new WebAssembly.Memory()",
  'src/image/list/b.ts': '// x\nconst verdict = atInstant(kernel.calls.decide(user, tenant, permission))',
  'src/image/update/prepare.ts': '// x\ncountGrantRolesStored(kernel, findGrantStored(kernel, user, at))',
  'src/pdp/request.ts': "// x\nimport type { Pdp } from './pdp.ts'",
  'src/pdp/a.ts':
    '// find(): T | Promise<T>\n#closing: Promise<void> | undefined\nfind(): Promise<Pdp | undefined>\nasync go(a: A | B): Promise<void> {',
  'src/http/b.ts':
    "// x\nimport { contained } from '../model/contained.ts'\nconst late = contained('a limit', () => run())\nsetTimeout(late, 5)\nsetInterval(contained('a look', () => look()), 5)\napp.addHook('onRequest', (request, reply, done) => done(find(request)))\nstream.once('end', resolve)\nstream.on('error', () => {\n  try {\n    run()\n  } catch {\n    stop()\n  }\n})",
  'src/cli/a.ts': `// x\nimport { open } from '../embedded.ts'\nprocess.exit(\`\${\`\${1}\`}\` === '1' ? 0 : 1)`,
  'src/image/a.ts': "// x\nconst half = 4 / 2 / 1; const re = /'/; import('../kernel/b.ts')",
  'test/a.test.ts':
    "// needs a small tmpfs, which only root can mount\nit.skipIf(process.getuid?.() !== 0)('x', () => {})",
}

describe('tidy', () => {
  it('finds the files of the repository', () => {
    const paths = repository.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['src/model/errors.ts', 'Dockerfile', '.ci/run', 'docs/limits.md', 'package.json']),
    )
    expect(paths.filter((path) => path.includes('node_modules'))).toEqual([])
  })

  it.each(Object.entries(BROKEN))('%s catches what it is for', (name, examples) => {
    for (const { files, line, mend } of examples) {
      const found = RULES[name as RuleName](Object.entries(files).map(([path, text]) => readSource(path, text)))
      expect(found[0], JSON.stringify(files)).toEqual({
        path: expect.any(String),
        line,
        mend: expect.stringMatching(mend),
      })
    }
  })

  it.each(Object.keys(BROKEN))('%s lets sound code pass', (name) => {
    expect(RULES[name as RuleName](Object.entries(SOUND).map(([path, text]) => readSource(path, text)))).toEqual([])
  })

  it.each(Object.keys(BROKEN))('%s holds in the repository', (name) => {
    const found = RULES[name as RuleName](repository).map(({ path, line, mend }) => `${path}:${line}  ${mend}`)
    expect(found).toEqual([])
  })

  it('lowers the counts of phrases when it may write', () => {
    if (process.env.ZEROHOP_WRITE_DOCS) lowerLimits(LIMITS, repository.flatMap(findInSource))
  })
})
