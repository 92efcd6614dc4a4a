// The suites of the public clients: where each comes from, how it is installed, its stories, and how its output is read.
// `prepare` installs into a folder and returns the version; a suite that its package lacks is taken from `--suites`.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const RUN_MS = 600_000
/** One test beside each suite is ours: it reads an environment that has what its client does not know. */
const readers = (file) => join(import.meta.dirname, 'readers', file)
const run = (cwd, file, ...args) =>
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 })
/** Runs a suite, which fails when one of its tests does. */
function captureOutput(cwd, env, [file, ...args]) {
  const { stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: RUN_MS,
    maxBuffer: 1 << 28,
  })
  if (error !== undefined) throw error
  return `${stdout}\n${stderr}`
}
/** @throws with what to give where the package has no suite */
function fromSuites(suites, name, needed) {
  const folder = suites && join(suites, name)
  if (folder === undefined || !existsSync(join(folder, needed)))
    throw new Error(`its package has no suite: give --suites FOLDER with its repository as FOLDER/${name} (${needed})`)
  return folder
}
const outcomes = (all) => ({
  passed: all.filter(({ passes }) => passes).length,
  failed: all.filter(({ passes }) => !passes).map(({ name }) => name),
})
function runGo(within, env, files) {
  const text = captureOutput(within, env, ['go', 'test', '-v', '-count=1', ...files])
  const found = matches(text, /^--- (?<outcome>PASS|FAIL): (?<name>\S+)/gm)
  return outcomes(found.map(({ outcome, name }) => ({ name, passes: outcome === 'PASS' })))
}
const matches = (text, pattern) => [...text.matchAll(pattern)].map(({ groups }) => groups)

/** The suite of Node always asks there, whatever its options are. */
const OPA = { PDP_OPA_PORT: '8181' }

export const SUITES = [
  {
    name: 'Node `permitio`',
    key: 'node',
    what: 'all test files of the package, each in an environment of its own',
    /** The package of this version brings its tests built; later ones do not. Ava runs none below node_modules, so the package is unpacked. */
    prepare(folder) {
      const [{ filename, version }] = JSON.parse(run(folder, 'npm', 'pack', 'permitio@2.7.5', '--json'))
      run(folder, 'tar', 'xzf', filename)
      const within = join(folder, 'package')
      writeFileSync(
        join(within, 'ava.config.cjs'),
        'module.exports = { timeout: "120s", failWithoutAssertions: false }\n',
      )
      run(within, 'npm', 'pkg', 'delete', 'ava', 'devDependencies', 'scripts')
      run(within, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', 'ava@3')
      return { version, within }
    },
    stories: ({ within }) =>
      readdirSync(join(within, 'build/tests'), { recursive: true })
        .filter((file) => file.endsWith('.spec.js'))
        .sort()
        .map((file) => ({ files: [`build/tests/${file}`], own: OPA })),
    run: ({ within }, { files }, env) => {
      const text = captureOutput(within, env, ['npx', 'ava', '--tap', ...files])
      return outcomes(
        matches(text, /^(?<not>not )?ok \d+ - (?<name>.+)$/gm).map(({ not, name }) => ({
          name,
          passes: not === undefined,
        })),
      )
    },
  },
  {
    name: 'Python `permit`',
    key: 'python',
    what: 'each test file in an environment of its own; what the suite marks as expected to fail counts as passed',
    prepare(folder, suites) {
      const from = fromSuites(suites, 'python', 'tests/conftest.py')
      cpSync(join(from, 'tests'), join(folder, 'tests'), { recursive: true })
      cpSync(readers('test_readers.py'), join(folder, 'tests/test_readers.py'))
      writeFileSync(join(folder, 'pytest.ini'), '[pytest]\nasyncio_mode = auto\n')
      run(folder, 'python3', '-m', 'venv', 'venv')
      const needs = ['permit==2.8.3', 'pytest', 'pytest-asyncio', 'pytest-mock', 'pytest_httpserver', 'aioresponses']
      run(folder, 'venv/bin/pip', 'install', '--quiet', 'email-validator', ...needs)
      const version = /^Version: (.+)$/m.exec(run(folder, 'venv/bin/pip', 'show', 'permit'))[1]
      return { version, within: folder }
    },
    stories: ({ within }) =>
      readdirSync(join(within, 'tests'), { recursive: true })
        .filter((file) => /test_[^/]*\.py$/.test(file))
        .sort()
        .map((file) => ({ files: [`tests/${file}`], hasGrants: file === 'test_readers.py' })),
    run: ({ within }, { files }, env) => {
      const text = captureOutput(within, env, [
        'venv/bin/python',
        '-m',
        'pytest',
        '-rA',
        '-p',
        'no:cacheprovider',
        ...files,
      ])
      const pattern = /^(?<outcome>PASSED|FAILED|ERROR|XFAIL|XPASS) (?:\S+::)?(?<name>\S+)/gm
      return outcomes(
        matches(text, pattern).map(({ outcome, name }) => ({ name, passes: !/^(FAILED|ERROR)$/.test(outcome) })),
      )
    },
  },
  {
    name: 'Go `permit-golang`',
    key: 'go',
    what: 'integration tests, in one environment',
    /** A Go module brings its tests. */
    prepare(folder) {
      const about = run(folder, 'go', 'mod', 'download', '-json', 'github.com/permitio/permit-golang@v1.2.8')
      const { Version: version, Dir } = JSON.parse(about)
      const within = join(folder, 'module')
      cpSync(Dir, within, { recursive: true })
      run(folder, 'chmod', '-R', 'u+w', within)
      cpSync(readers('readers_test.go'), join(within, 'pkg/tests/readers_test.go'))
      return { version, within }
    },
    stories: () => [{ files: ['-skip=TestReaders'] }, { files: ['-run=TestReaders'], hasGrants: true }],
    run: ({ within }, { files }, env) => runGo(within, env, [...files, './pkg/tests/...']),
  },
  {
    name: 'Terraform `permitio/permit-io`',
    key: 'terraform',
    what: 'acceptance tests, in one environment',
    prepare(folder, suites) {
      run(folder, 'terraform', 'version')
      const from = fromSuites(suites, 'terraform', 'internal/provider/provider_test.go')
      const within = join(folder, 'provider')
      cpSync(from, within, { recursive: true })
      return { version: run(within, 'git', 'rev-parse', '--short', 'HEAD').trim(), within }
    },
    stories: () => [{ files: ['./internal/provider'] }],
    run: ({ within }, { files }, { PDP_CONTROL_PLANE, PDP_API_KEY }) => {
      const terraform = run(within, 'which', 'terraform').trim()
      const own = { PERMITIO_API_URL: PDP_CONTROL_PLANE, PERMITIO_API_KEY: PDP_API_KEY, CHECKPOINT_DISABLE: '1' }
      return runGo(within, { ...own, TF_ACC: '1', TF_ACC_TERRAFORM_PATH: terraform }, files)
    },
  },
  {
    name: 'Java `permit-sdk-java`',
    key: 'java',
    what: 'e2e and endpoint tests, each class in an environment of its own; `RebacE2ETest` in one that has a role `editor` (`--example articles`)',
    prepare(folder, suites) {
      const from = fromSuites(suites, 'java', 'src/test/java')
      mkdirSync(join(folder, 'src'), { recursive: true })
      cpSync(join(from, 'src/test'), join(folder, 'src/test'), { recursive: true })
      cpSync(readers('ReadersE2ETest.java'), join(folder, 'src/test/java/io/permit/sdk/e2e/ReadersE2ETest.java'))
      writeFileSync(join(folder, 'pom.xml'), POM)
      run(folder, 'mvn', '-q', '-B', 'test-compile')
      const resolved = run(folder, 'mvn', '-B', 'dependency:list', '-DincludeArtifactIds=permit-sdk-java')
      return { version: /permit-sdk-java:jar:([^:]+):/.exec(resolved)?.[1] ?? 'unknown', within: folder }
    },
    stories: ({ within }) =>
      readdirSync(join(within, 'src/test/java'), { recursive: true })
        .flatMap((file) => /(\w+E2ETest)\.java$/.exec(file)?.[1] ?? [])
        .sort()
        .map((name) => ({
          files: [name],
          hasGrants: name === 'ReadersE2ETest',
          ...(name === 'RebacE2ETest' ? { example: 'articles' } : {}),
        })),
    run: ({ within }, { files: [name] }, env) => {
      const text = captureOutput(within, env, ['mvn', '-B', 'test', `-Dtest=${name}`])
      const [, all = '0', ...bad] =
        /^.*Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$/m.exec(text) ?? []
      const failed = bad.reduce((sum, count) => sum + Number(count), 0)
      return { passed: Number(all) - failed, failed: Array.from({ length: all === '0' ? 1 : failed }, () => name) }
    },
  },
]

const dependency = (group, artifact, version, more = '') =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}</dependency>`

/** The package, and what its suite uses besides. */
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>zerohop</groupId><artifactId>published-client</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies>
${dependency('io.permit', 'permit-sdk-java', 'LATEST')}
${dependency('com.squareup.okhttp3', 'okhttp', '4.12.0')}
${dependency('com.google.code.gson', 'gson', '2.9.0')}
${dependency('com.google.guava', 'guava', '32.0.0-jre')}
${dependency('org.slf4j', 'slf4j-api', '1.7.33')}
${dependency('org.junit.jupiter', 'junit-jupiter', '5.7.2', '<scope>test</scope>')}
</dependencies>
<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId>
<version>2.22.2</version></plugin></plugins></build></project>
`
