// The commands on policy files as people meet them: what they print, what they write, and their exit codes.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { format } from '../../src/cli/commands/format.ts'
import { init } from '../../src/cli/commands/init.ts'
import { findPolicy } from '../../src/cli/commands/policy-sources.ts'
import { validate } from '../../src/cli/commands/validate.ts'
import { findProject } from '../../src/cli/configuration/project-file.ts'
import { printProblems } from '../../src/cli/terminal/print-problems.ts'
import { SCHEMA_LINE } from '../../src/management/policy-file/format.ts'
import { readSources } from '../../src/management/policy-file/read-files.ts'
import { readPolicy } from '../../src/management/policy-file/read-policy.ts'
import { POLICY_FILE_BYTES_MAX, POLICY_FILES_MAX, POLICY_FOLDERS_DEPTH_MAX } from '../../src/model/limits.ts'
import { hasPassed, report } from '../../src/policy-test/report.ts'
import { runTests } from '../../src/policy-test/run-tests.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runCommand } from '../support/run-command.ts'

let folder: string
const write = (name: string, text: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), text)
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** What a command prints, and its exit code. */
function run(command: (from: string) => number | undefined): [code: number | undefined, out: string] {
  let out = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += String(chunk)
    return true
  })
  try {
    return [command(folder), out]
  } finally {
    spy.mockRestore()
  }
}

beforeEach(() => {
  folder = temporaryFolder('policy')
})

describe('zerohop init', () => {
  it('writes a policy that is right, in the canonical form, with its configuration', () => {
    run(() => init(folder, {}) ?? undefined)
    expect(readdirSync(folder).sort()).toEqual(['policy.yaml', 'tests', 'zerohop.yaml'])
    expect(run((from) => validate([], { strict: true }, from))).toEqual([0, '1 file: no problems\n'])
    expect(run((from) => format([], { check: true }, from))).toEqual([0, ''])
    expect(findProject(join(folder, 'tests'))).toEqual({
      file: join(folder, 'zerohop.yaml'),
      folder,
      api: 'http://localhost:8080',
      project: 'default',
      environment: 'development',
      files: ['policy.yaml'],
      tests: ['tests'],
    })
  })

  it('writes a test that passes', () => {
    run(() => init(folder, {}) ?? undefined)
    const tests = readSources(['tests'], folder).sources
    const result = runTests(findPolicy([], folder).sources, tests, { now: 0, coverage: false, mutants: false })
    expect(result.problems).toEqual([])
    expect(hasPassed(result, {})).toBe(true)
    expect(report(result, 'pretty', {})).toMatch(/^\d+ expectations met, 0 not met$/m)
  })

  it('names the schema of the installed package', () => {
    write('node_modules/zerohop/policy.schema.json', '{}')
    run(() => init(join(folder, 'deep/policy'), { json: true }) ?? undefined)
    expect(read('deep/policy/policy.yaml').split('\n')[0]).toBe(
      `${SCHEMA_LINE}../../node_modules/zerohop/policy.schema.json`,
    )
  })

  it.each(['policy.yaml', 'tests/policy.yaml', 'zerohop.yaml'])('overwrites nothing: not %s', (name) => {
    write(name, 'mine')
    expect(() => init(folder, {})).toThrow('already exists: nothing was written')
    expect(readdirSync(folder, { recursive: true }).filter((file) => !String(file).endsWith('tests'))).toEqual([name])
  })
})

describe('zerohop validate', () => {
  it('prints errors with their places, and ends with 1', () => {
    write('policy.yaml', 'zerohop: 2\nroles:\n  - key: admin\n    extends: [viewr]\n  - key: viewer\n')
    const line = 'policy.yaml:4:15: error: role `viewr` does not exist: did you mean `viewer`?\n'
    expect(run((from) => validate([], {}, from))).toEqual([1, `${line}1 file: 1 error\n`])
    const [code, out] = run((from) => validate(['policy.yaml'], { json: true }, from))
    expect([code, JSON.parse(out)]).toEqual([
      1,
      {
        valid: false,
        errors: 1,
        warnings: 0,
        files: ['policy.yaml'],
        problems: [
          {
            severity: 'error',
            message: 'role `viewr` does not exist: did you mean `viewer`?',
            file: 'policy.yaml',
            line: 4,
            column: 15,
            length: 5,
          },
        ],
      },
    ])
  })

  it('takes warnings for errors only when it is strict', () => {
    write('policy.yaml', 'zerohop: 2\nroles:\n  - key: nobody\n')
    expect(run((from) => validate([], {}, from))).toMatchObject([0, expect.stringContaining('1 file: 1 warning')])
    expect(run((from) => validate([], { strict: true }, from))[0]).toBe(1)
  })

  it('reads folders, the files of zerohop.yaml, and what the command line names', () => {
    write('zerohop.yaml', 'files: [base.yaml, teams]\n')
    write('base.yaml', 'zerohop: 2\nresources: [{ key: note, actions: { read: {} } }]\n')
    write('teams/a/roles.yml', 'zerohop: 2\nroles: [{ key: reader, permissions: [note:read] }]\n')
    write('teams/b.json', '{"zerohop":2,"tenants":[{"key":"acme"}]}')
    write('teams/.hidden.yaml', '!')
    write('teams/notes.txt', '!')
    write('teams/node_modules/other.yaml', '!')
    expect(run((from) => validate([], { strict: true }, join(from, 'teams')))).toEqual([0, '3 files: no problems\n'])
    const [code, out] = run((from) => validate(['teams'], {}, from))
    expect([code, out.split('\n')[0]]).toEqual([
      1,
      `${join('teams', 'a', 'roles.yml')}:2:38: error: resource type \`note\` does not exist`,
    ])
  })

  it('says where zerohop.yaml is wrong', () => {
    write('zerohop.yaml', 'file: [policy.yaml]\ntests: all\n')
    expect(() => validate([], {}, folder)).toThrow(
      /zerohop\.yaml:1:1: unknown field `file`: did you mean `files`\?; .*zerohop\.yaml:2:8: expected a list, found `all`$/,
    )
  })

  it('refuses what it cannot read', () => {
    expect(() => validate([], {}, folder)).toThrow('`policy.yaml` does not exist')
    mkdirSync(join(folder, 'empty'))
    expect(() => validate(['empty'], {}, folder)).toThrow('there is no policy file in `empty`')
    writeFileSync(join(folder, 'policy.yaml'), Buffer.from([0x61, 0xff]))
    expect(run((from) => validate([], {}, from))).toEqual([
      1,
      'policy.yaml:1:1: error: the file is not text in UTF-8\n1 file: 1 error\n',
    ])
    write('policy.yaml', 'x'.repeat(POLICY_FILE_BYTES_MAX + 1))
    expect(() => validate([], {}, folder)).toThrow(`is larger than ${POLICY_FILE_BYTES_MAX} bytes`)
  })

  it('bounds the number of files and the depth of folders', () => {
    for (let at = 0; at <= POLICY_FILES_MAX; at++) write(`many/${at}.yaml`, '')
    expect(() => readSources(['many'], folder)).toThrow(`more than ${POLICY_FILES_MAX} policy files`)
    const deep = Array.from({ length: POLICY_FOLDERS_DEPTH_MAX }, () => 'd').join('/')
    write(`${deep}/policy.yaml`, 'zerohop: 2\n')
    expect(readSources(['d'], folder).sources).toHaveLength(1)
    write(`${deep}/d/policy.yaml`, 'zerohop: 2\n')
    expect(() => readSources(['d'], folder)).toThrow(`is more than ${POLICY_FOLDERS_DEPTH_MAX} folders deep`)
  })

  it('prints no control characters of a file', () => {
    const source = { name: 'policy.yaml', text: 'zerohop: 2\nroles:\n  - key: "\\e[2J\u009b2J"\n\tx' }
    for (const text of [source.text, 'zerohop: 2\n\u009bx: 1\n']) {
      const { problems } = readPolicy([{ ...source, text }])
      expect(problems).not.toEqual([])
      const printed = printProblems(problems, [{ ...source, text }], { lines: true, colour: false })
      expect(printed.replace(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u)
    }
  })

  it('ends with 64 for a wrong command line', async () => {
    const { code, err } = await runCommand(['validate', '--strikt'])
    expect([code, err.split('\n')[0]]).toEqual([64, "zerohop: unknown option '--strikt'"])
  })

  it('runs as a command', async () => {
    write('policy.yaml', 'zerohop: 3\n')
    expect(await runCommand(['validate', join(folder, 'policy.yaml')])).toMatchObject({
      code: 1,
      out: expect.stringContaining('policy.yaml:1:10: error: version `3` of the form is not known'),
    })
  })
})

describe('zerohop fmt', () => {
  it('writes what is laid out differently, and says so with --check', () => {
    write('policy.yaml', '# what there is\nroles: []\nzerohop:   2\n')
    write('fine.yaml', 'zerohop: 2\n')
    const files = ['policy.yaml', 'fine.yaml']
    expect(run((from) => format(files, { check: true }, from))).toEqual([1, 'policy.yaml is laid out differently\n'])
    expect(read('policy.yaml')).toContain('zerohop:   2')
    expect(run((from) => format(files, {}, from))).toEqual([0, 'policy.yaml\n'])
    expect(read('policy.yaml')).toBe('zerohop: 2\n# what there is\nroles: []\n')
    expect(run((from) => format(files, { json: true }, from))).toEqual([
      0,
      `${JSON.stringify({ changed: [], problems: [] }, null, 2)}\n`,
    ])
    expect(readdirSync(folder).sort()).toEqual(['fine.yaml', 'policy.yaml'])
  })

  it('leaves a file alone that it cannot read', () => {
    write('policy.yaml', 'zerohop: 2\nroles: [\n')
    cpSync(join(folder, 'policy.yaml'), join(folder, 'before'))
    expect(run((from) => format([], {}, from))).toMatchObject([1, expect.stringContaining('policy.yaml:')])
    expect(read('policy.yaml')).toBe(read('before'))
  })
})
