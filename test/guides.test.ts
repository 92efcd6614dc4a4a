// The guides as a reader follows them: the programs in README.md and docs/ are pasted together, run beside a server on
// the example policy, and each line that ends in `// true` or `// false` must be so. Needs the build.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './support/folders.ts'
import { runHere } from './support/run-here.ts'
import { serveHere } from './support/serve-here.ts'
import { endServers, freePort, type Ports, readKeys, url } from './support/server.ts'
import { ROOT } from './tidy/source.ts'

const execute = promisify(execFile)

/** What stands in a document between fences of that language, one text for each. */
function blocks(path: string, language: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
}

/** The same text, in which a line `expression // true` is tested. */
const tested = (text: string): string =>
  text.replace(
    /^(\S.*?) \/\/ (true|false)\b.*$/gm,
    (_, expression: string, want: string) => `told(${expression}, ${want}, ${JSON.stringify(expression)})`,
  )

const TOLD = `let lines = 0
function told(got, want, line) {
  lines++
  if (got !== want) throw new Error(line + ' is ' + got)
}
`

describe('the guides', () => {
  const data = temporaryFolder('guides')
  let ports: Ports
  let env: Record<string, string>

  beforeAll(async () => {
    ports = { api: await freePort(), pdp: await freePort() }
    await serveHere(data, ports, true)
    const { PATH = '', HOME = '' } = process.env
    env = { PATH, HOME, ZEROHOP_DATA: data, PDP_API_KEY: readKeys(data).environments.development }
  })
  afterAll(endServers)

  /**
   * Runs programs, one after the other in one process, in a folder in which the package and the published client are
   * installed; answers what they print.
   */
  async function run(programs: readonly string[], port = 0): Promise<string> {
    const folder = temporaryFolder('reader')
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules', 'zerohop'), 'junction')
    symlinkSync(join(ROOT, 'node_modules', 'permitio'), join(folder, 'node_modules', 'permitio'), 'junction')
    for (const [at, program] of programs.entries()) {
      const here = program
        .replaceAll('http://localhost:8080', url(ports.api))
        .replaceAll('http://localhost:7000', url(ports.pdp))
        .replace('.listen(3000)', `.listen(${port}, '127.0.0.1')`)
      writeFileSync(join(folder, `${at}.mjs`), TOLD + tested(here))
    }
    const all = `for (let at = 0; at < ${programs.length}; at++) await import(\`./\${at}.mjs\`)\nprocess.exit()`
    writeFileSync(join(folder, 'all.mjs'), all)
    const { stdout } = await execute(process.execPath, ['all.mjs'], { cwd: folder, env, timeout: 60_000 })
    return stdout
  }

  it('have programs that run, and lines that say what is so', async () => {
    const least = { 'README.md': 3, 'docs/library.md': 13, 'docs/clients.md': 1, 'docs/authzen.md': 5 }
    const programs = Object.keys(least).map((path) => {
      // not the one line that shows a check before anybody is connected
      const parts = blocks(path, 'js').filter((block) => block.includes('\n', block.indexOf('\n') + 1))
      return `${parts.join('\n')}\nconsole.log(JSON.stringify(['${path}', lines]))`
    })
    const printed = (await run(programs)).trimEnd().split('\n')
    const lineCounts = Object.fromEntries(printed.map((line) => JSON.parse(line) as [string, number]))
    expect(Object.keys(lineCounts)).toEqual(Object.keys(least))
    for (const [path, lines] of Object.entries(least)) expect(lineCounts[path], path).toBeGreaterThanOrEqual(lines)
  })

  it('README.md: its question is answered as it says', async () => {
    const [question = ''] = blocks('README.md', 'sh').filter((block) => block.startsWith('curl '))
    const [, address = '', expression = '', body = ''] =
      /^curl -s http:\/\/127\.0\.0\.1:7000(\S+) .*\$\(node -p '([^']+)'\)" .* -d '([^']+)'$/m.exec(question) ?? []
    const { stdout } = await execute(process.execPath, [
      '-p',
      expression.replace('data/keys.json', `${data}/keys.json`),
    ])
    const headers = { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' }
    const answer = await fetch(url(ports.pdp) + address, { method: 'POST', headers, body })
    expect([await answer.text()]).toEqual(blocks('README.md', 'json').map((json) => json.trimEnd()))
  })

  it('docs/quick-start.md: the policy is imported, the service answers by it, and a change reaches it', async () => {
    const policy = join(temporaryFolder('policy'), 'policy.yaml')
    writeFileSync(policy, blocks('docs/quick-start.md', 'yaml').join(''))
    const imported = await runHere(['import', policy], env)
    expect(imported.out).toMatch(/ created, 0 changed, 0 deleted; revision \d+\n$/)
    const port = await freePort()
    const asked = `
      const ask = async (user, method) => {
        const headers = { 'x-user': user, 'x-tenant': 'acme' }
        return (await fetch('${url(port)}', { method, headers })).status
      }`
    const [service = '', change = ''] = blocks('docs/quick-start.md', 'js')
    const before = "const before = [await ask('ana', 'POST'), await ask('ben', 'POST'), await ask('ben', 'GET')]"
    const after = "console.log(JSON.stringify([...before, await ask('ben', 'POST'), await ask('zoe', 'GET')]))"
    const printed = await run([[service, asked, before, change, after].join('\n')], port)
    expect(JSON.parse(printed)).toEqual([200, 403, 200, 200, 403])
  })

  it('name only commands that there are', async () => {
    const { out } = await runHere(['--help'])
    const commands = [...out.matchAll(/^ {2}(\w+) {2}/gm)].map(([, name = '']) => name)
    const named = ['README.md', 'docs/quick-start.md', 'docs/production.md', 'docs/clients.md'].flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/(?:npx |`)zerohop ([a-z]+)(?![.\w])/g)].map(
        ([, name = '']) => name,
      ),
    )
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((name) => !commands.includes(name))).toEqual([])
  })
})
