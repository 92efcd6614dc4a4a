// The command `zerohop` as an operator meets it: help, exit codes, one line for what is wrong, files that it writes.
// Needs the build.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCompletion } from '../../src/cli/commands/completion.ts'
import { addDatabase } from '../../src/cli/commands/database-commands.ts'
import { addImage } from '../../src/cli/commands/image-commands.ts'
import { addAdministration } from '../../src/cli/commands/operator-commands.ts'
import { addPlans } from '../../src/cli/commands/plan-commands.ts'
import { addPolicyFiles } from '../../src/cli/commands/policy-commands.ts'
import { addTest } from '../../src/cli/commands/test-command.ts'
import { addTypes } from '../../src/cli/commands/types-command.ts'
import { addWhy } from '../../src/cli/commands/why-command.ts'
import { speak } from '../../src/cli/terminal/command-line.ts'
import { addMigrate } from '../../src/v1/migrate/commands/migrate-commands.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { parseLines } from '../support/printed.ts'
import { runCommand as run, startCommand } from '../support/run-command.ts'
import { runHere as here } from '../support/run-here.ts'
import { apiHere, pdpHere, serveHere } from '../support/serve-here.ts'
import { endServers, freePort, type Keys, readKeys, type Server, startPdp, startServe, url } from '../support/server.ts'

/** The commands that have a file of their own for their command line. */
function program(): Command {
  const zerohop = speak(new Command('zerohop'), '0.0.0')
  addDatabase(zerohop)
  addImage(zerohop)
  addPlans(zerohop)
  addPolicyFiles(zerohop)
  addTypes(zerohop)
  addWhy(zerohop)
  addCompletion(zerohop)
  addTest(zerohop)
  addAdministration(zerohop)
  addMigrate(zerohop)
  return zerohop
}

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

const commandName = (command: Command): string =>
  command.parent === null ? command.name() : `${commandName(command.parent)} ${command.name()}`

const oneLine = (text: string | RegExp) =>
  expect.stringMatching(
    new RegExp(`^zerohop: .*${text instanceof RegExp ? text.source : text.replaceAll('.', '\\.')}.*\\n$`),
  )

const data = temporaryFolder('serve')
let server: Server
let keys: Keys
let ports: { api: number; pdp: number }
beforeAll(async () => {
  ports = { api: await freePort(), pdp: await freePort() }
  server = await startServe(data, ports, [])
  keys = readKeys(data)
})
afterAll(endServers)

describe('help', () => {
  it.each([['serve'], ['api'], ['pdp'], ['check'], ['integration'], ['image', 'verify']])(
    'of %s %s has examples',
    async (...names) => {
      const { code, out } = await here([...names.filter(Boolean), '--help'])
      expect(code).toBe(0)
      expect(out).toMatch(/^Usage: zerohop /)
      expect(out).toContain('Examples:')
    },
  )

  it('lists the commands', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    for (const name of ['serve', 'api', 'pdp', 'check', 'image'])
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
  })

  it.each(leaves(program()).map((command) => [commandName(command), command] as const))(
    'of `%s` says what it is for, what each option means, and has examples',
    (name, command) => {
      const written: string[] = []
      command.configureOutput({ writeOut: (each) => void written.push(each) }).outputHelp()
      const text = written.join('')
      expect(text).toContain(`Usage: ${name} `)
      expect(text).toMatch(/\nExamples:\n {2}/)
      expect(text).toContain('prints this help')
      const bare = command.options.filter(({ description }) => description === '').map(({ flags }) => flags)
      expect([command.description() === '', bare]).toEqual([false, []])
    },
  )
})

describe('a mistake on the command line', () => {
  it.each([
    [['nonsense'], 64, "unknown command 'nonsense'", 'zerohop --help'],
    [['image', 'nonsense'], 64, "unknown command 'nonsense'", 'zerohop image --help'],
    [['serve', '--prot', '1'], 64, "unknown option '--prot'", 'zerohop serve --help'],
    [['keys', 'create', '--level', 'much'], 64, 'Allowed choices are org, project, env', 'zerohop keys create --help'],
    [['check', 'ana'], 2, "missing required argument 'action'", 'zerohop check --help'],
    [['check', 'ana', 'say', 'hello', '--image', 'a', '--pdp', 'b'], 2, 'cannot be used with', 'zerohop check --help'],
    [['check', 'ana', 'say', 'hello', '--tnant', 'a'], 2, 'Did you mean --tenant?', 'zerohop check --help'],
  ])('%j ends with %d and prints to stderr what is wrong and where to find help', async (args, code, problem, help) => {
    const ran = await here(args)
    expect([ran.code, ran.out]).toEqual([code, ''])
    expect(ran.err).toMatch(/^zerohop: /)
    expect(ran.err).toContain(problem)
    expect(ran.err.trimEnd().split('\n').at(-1)).toContain(`(${help} `)
  })

  it('ends a process with that code', async () => {
    const ran = await run(['nonsense'])
    expect([ran.code, ran.out, ran.err]).toEqual([64, '', expect.stringContaining("unknown command 'nonsense'")])
  })

  it('names the file that is not there, and the option that is missing', async () => {
    const ran = await here(['image', 'verify', 'nowhere.image'])
    expect([ran.code, ran.err]).toEqual([1, 'zerohop: the image `nowhere.image` cannot be read: ENOENT\n'])
    const data = temporaryFolder('bin')
    expect((await here(['org', 'create', 'acme', '--data', data])).code).toBe(0)
    const made = await here(['keys', 'create', '--data', data, '--project', 'default'])
    expect([made.code, made.err]).toEqual([1, 'zerohop: --environment: a key of level env needs it\n'])
    const bare = ['keys', 'create', '--data', data, '--environment', 'development', '--access', 'read']
    expect(await here(bare)).toMatchObject({ code: 0, out: expect.stringMatching(/^zh_env_\w+\n$/), err: '' })
    const written = await here(['export', join(data, 'nowhere', 'policy.yaml'), '--data', data])
    expect([written.code, written.err]).toEqual([1, oneLine(/`.*policy\.yaml` cannot be written: ENOENT/)])
  })
})

describe('what is wrong or missing', () => {
  it.each([
    ['PDP_API_KEY', {}],
    ['PDP_CONTROL_PLANE', { PDP_API_KEY: 'key' }],
    ['PDP_CONTROL_PLANE', { PDP_API_KEY: 'key', PDP_CONTROL_PLANE: 'not a url' }],
    ['PDP_PORT', { PDP_PORT: '70000' }],
    ['PDP_DEBUG', { PDP_DEBUG: 'maybe' }],
    ['PDP_MAX_STALENESS', { PDP_MAX_STALENESS: '-1' }],
    ['ZEROHOP_IMAGE_MEMORY', { ZEROHOP_IMAGE_MEMORY: 'much' }],
    ['ZEROHOP_LOG_LEVEL', { ZEROHOP_LOG_LEVEL: 'loud' }],
    ['PDP_API_KEY_FILE', { PDP_API_KEY_FILE: 'nowhere' }],
  ])('is one line that names %s', async (name, env) => {
    const { code, err } = await here(['pdp'], { ZEROHOP_DATA: temporaryFolder('bin'), ...env })
    expect([code, err]).toEqual([1, oneLine(name)])
  })

  it('is one line for a port that is in use', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as { port: number }
    const env = { ZEROHOP_DATA: temporaryFolder('bin') }
    const { code, err } = await here(['serve', '--api-port', String(port), '--pdp-port', '0'], env)
    expect([code, err]).toEqual([1, oneLine(`port ${port} on 127.0.0.1 is in use`)])
    holder.close()
  })

  it('is one line for an address that is not of this machine', async () => {
    const env = { ZEROHOP_DATA: temporaryFolder('bin'), ZEROHOP_HOST: '192.0.2.1' }
    const { code, err } = await here(['api', '--api-port', '4321'], env)
    expect([code, err]).toEqual([1, oneLine('cannot listen on 192.0.2.1:4321: EADDRNOTAVAIL')])
  })

  it('is one line for a data folder that another process holds', async () => {
    const { code, err } = await here(['serve', '--data', data, '--api-port', '0', '--pdp-port', '0'])
    expect([code, err]).toEqual([1, oneLine('is in use by another process')])
  })

  it('is one line for a bootstrap key that could be guessed', async () => {
    const env = { ZEROHOP_DATA: temporaryFolder('bin'), ZEROHOP_BOOTSTRAP_KEY: 'short', ZEROHOP_API_PORT: '0' }
    const { code, err } = await here(['api'], env)
    expect([code, err]).toEqual([1, oneLine('at least 16')])
  })

  it('ends a PDP whose key the management API does not know', async () => {
    const env = {
      PDP_API_KEY: 'wrong',
      PDP_CONTROL_PLANE: url(ports.api),
      PDP_PORT: '0',
      ZEROHOP_DATA: temporaryFolder('bin'),
    }
    const { code, err } = await run(['pdp'], env)
    expect([code, err]).toEqual([1, oneLine('this API key is not known')])
  })
})

describe('serve', () => {
  const image = join(temporaryFolder('image'), 'policy.image')
  beforeAll(async () => {
    const env = { PDP_API_KEY: keys.environments.development, PDP_CONTROL_PLANE: url(ports.api) }
    expect(await run(['image', 'pull', image], env)).toMatchObject({ code: 0, err: '' })
  })

  it('writes the keys for its owner only', () => {
    if (process.platform !== 'win32') expect(statSync(join(data, 'keys.json')).mode & 0o777).toBe(0o600)
    expect(Object.keys(keys.environments).sort()).toEqual(['development', 'production'])
  })

  it('prints lines that can be pasted: one is allowed, one denied', async () => {
    await server.until(async () => server.output.split('curl -s').length > 2)
    const lines = server.output.split('\n').filter((line) => line.startsWith('curl '))
    const answers = await Promise.all(lines.map((line) => promisify(execFile)('bash', ['-c', line])))
    expect(answers.map(({ stdout }) => JSON.parse(stdout).allow)).toEqual([true, false])
  })

  it('is asked by `check`: exit code 0 allow, 1 deny, 2 could not decide', async () => {
    const env = { ZEROHOP_DATA: data, PDP_PORT: String(ports.pdp) }
    expect(await run(['check', 'ana', 'say', 'hello'], env)).toEqual({ code: 0, out: 'allow\n', err: '' })
    expect(await run(['check', 'ben', 'say', 'hello:plan', '--tenant', 'default', '--json'], env)).toMatchObject({
      code: 1,
      out: '{"allow":false}\n',
    })
    const explained = await here(['check', 'ben', 'say', 'hello', '--explain'], env)
    expect([explained.code, explained.out]).toEqual([
      1,
      expect.stringContaining('code no_permission\nby sets disabled\n  role '),
    ])
    expect(await run(['check', 'ana', 'say', 'hello', '--pdp', 'http://127.0.0.1:1'], env)).toMatchObject({
      code: 2,
      err: oneLine('no PDP answers'),
    })
    expect(await here(['check', 'ana', 'say', 'hello'], { ...env, PDP_API_KEY: 'wrong' })).toMatchObject({
      code: 2,
      err: oneLine('403'),
    })
    expect((await here(['check', 'ana'], env)).code).toBe(2)
  })

  it('is asked by `why`: exit code 0 allow, 1 deny, 2 without an answer, 64 for a wrong command line', async () => {
    const env = { ZEROHOP_DATA: data, PDP_PORT: String(ports.pdp) }
    const denied = await run(['why', 'ben', 'say', 'hello', '--context', '{"place":"home"}'], env)
    expect(denied).toEqual({
      code: 1,
      err: '',
      out: expect.stringMatching(/^deny: ben cannot say hello in tenant default\n {2}role .* in tenant /),
    })
    const json = await here(['why', 'ana', 'say', 'hello', '--image', image, '--json'])
    expect([json.code, JSON.parse(json.out)]).toMatchObject([0, { allow: true, tree: { outcome: 'allow' } }])
    expect((await here(['why', 'ana', 'say', 'hello', '--tree'], env)).out).toMatch(
      /^✓ ana can say hello.*\n└─ ✓ ana has role/,
    )
    const past = { ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(ports.api) }
    const before = await here(['why', 'ana', 'say', 'hello', '--at', '1', '--json'], past)
    expect([before.code, JSON.parse(before.out)]).toMatchObject([0, { allow: true, revision: 1 }])
    const named = ['--api', url(ports.api), '--project', 'default', '--environment', 'production']
    expect(await here(['why', 'ana', 'say', 'hello', ...named], past)).toMatchObject({ code: 2, err: oneLine('404') })
    expect(await here(['why', 'ana', 'say', 'hello', '--attributes', '[]'], env)).toMatchObject({
      code: 64,
      err: oneLine('--attributes is not a JSON object'),
    })
    expect([
      (await here(['why', 'ana'], env)).code,
      (await here(['why', 'ana', 'say', 'hello', '--pdp', 'http://127.0.0.1:1'], env)).code,
    ]).toEqual([64, 2])
  })

  it('gives the types of its policy, which an image file has too', async () => {
    const printed = await here(['types'], { ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(ports.api) })
    expect(printed).toMatchObject({ code: 0, err: '', out: expect.stringContaining("actions: 'say' | 'wave'") })
    const named = ['types', '--url', url(ports.api), '--api-key', keys.environments.development ?? '']
    expect((await here(named)).out).toBe(printed.out)
    expect((await here(['types', '--image', image])).out).toBe(printed.out)
    expect(await here(['types', '--url', url(ports.api)])).toMatchObject({ code: 1, err: oneLine('no API key') })
  })

  it('gives images that can be pulled, verified, inspected and asked', async () => {
    expect(await here(['image', 'verify', image])).toMatchObject({ code: 0, out: expect.stringContaining('sound') })
    const facts = JSON.parse((await here(['image', 'inspect', image, '--json'])).out)
    expect(facts).toMatchObject({ users: 2, roles: 2, assignments: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect((await here(['image', 'inspect', image])).out).toMatch(/^assignments +2$/m)
    expect((await here(['check', 'ana', 'say', 'hello', '--image', image])).code).toBe(0)
    const asked = ['check', 'ben', 'say', 'hello', '--image', image, '--explain']
    expect((await here(asked)).out).toContain('no_permission')
    const { code, out } = await here([...asked, '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { allow: false, revision: expect.any(Number), why: { allow: false } },
    ])
  })

  it('gives an image that a PDP runs from, without any management side', async () => {
    const port = await freePort()
    const pdp = await pdpHere({ PDP_API_KEY: 'a key of its own', PDP_PORT: String(port) }, { image })
    expect(await (await fetch(`${url(port)}/ready`)).json()).toMatchObject({
      status: 'ok',
      source: 'file',
      revision: expect.any(Number),
      age_ms: null,
    })
    const asked = { PDP_API_KEY: 'a key of its own', PDP_PORT: String(port) }
    expect((await here(['check', 'ana', 'say', 'hello'], asked)).code).toBe(0)
    expect((await here(['check', 'ben', 'say', 'hello'], asked)).code).toBe(1)
    expect(await pdp.end()).toBe(0)
  })

  it('signs an image file, and believes no other where a public key is given', async () => {
    const folder = temporaryFolder('image')
    const [file, publicFile, signingFile] = ['policy.image', 'public.pem', 'signing.pem'].map((name) =>
      join(folder, name),
    )
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(publicFile!, publicKey.export({ type: 'spki', format: 'pem' }))
    writeFileSync(signingFile!, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    copyFileSync(image, file!)
    const trusting = { PDP_API_KEY: 'key', PDP_IMAGE_PUBLIC_KEY: publicFile! }
    const unsigned = { code: 1, err: oneLine('the image is not signed') }
    expect(await here(['image', 'verify', file!], trusting)).toMatchObject(unsigned)
    expect(await here(['pdp', '--image', file!, '--pdp-port', '0'], trusting)).toMatchObject(unsigned)
    expect(await here(['image', 'sign', file!])).toMatchObject({ code: 1, err: oneLine('ZEROHOP_IMAGE_SIGNING_KEY') })
    const link = join(folder, 'link.image')
    symlinkSync('policy.image', link)
    for (const named of [link, file!])
      expect((await here(['image', 'sign', named], { ZEROHOP_IMAGE_SIGNING_KEY_FILE: signingFile! })).code).toBe(0)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(await here(['image', 'verify', file!], trusting)).toMatchObject({
      code: 0,
      out: expect.stringContaining('good'),
    })
    expect((await here(['check', 'ana', 'say', 'hello', '--image', file!], trusting)).code).toBe(0)
    expect((await here(['image', 'verify', file!])).code).toBe(0)
  })

  it('is a command whose reader may stop reading: no noise, and its own exit code', async () => {
    const child = startCommand(['check', 'ben', 'say', 'hello', '--image', image])
    child.stdout.destroy()
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number | null]
    expect([code, err]).toEqual([1, ''])
  })

  it('refuses a damaged image file in one line', async () => {
    const file = join(temporaryFolder('image'), 'policy.image')
    writeFileSync(file, 'not an image')
    expect(await here(['image', 'verify', file])).toMatchObject({ code: 1, err: oneLine('the image is damaged') })
    expect(await here(['check', 'ana', 'say', 'hello', '--image', file])).toMatchObject({
      code: 2,
      err: oneLine('damaged'),
    })
    expect(await here(['image', 'verify', join(file, 'nowhere')])).toMatchObject({ code: 1, err: oneLine('') })
    const pdp = await here(['pdp', '--image', file, '--pdp-port', '0'], { PDP_API_KEY: 'key' })
    expect(pdp).toMatchObject({ code: 1, err: oneLine('the image is damaged') })
  })

  it('never prints a key, and ends with 0 on SIGTERM', async () => {
    expect(await server.end()).toBe(0)
    for (const key of [keys.organization, keys.environments.development, keys.environments.production]) {
      expect(server.output).not.toContain(key)
    }
  })

  it('keeps its keys over a restart, and writes the file anew when it is gone', async () => {
    const again = await startServe(data, ports, [])
    expect(readKeys(data)).toEqual(keys)
    expect(await again.end('SIGINT')).toBe(0)
    unlinkSync(join(data, 'keys.json'))
    const third = await serveHere(data, ports, true)
    expect(readKeys(data)).toEqual(keys)
    expect(await third.end()).toBe(0)
  })
})

describe('pdp', () => {
  const following = (data: string, port: number, key: string, api: number) => ({
    ZEROHOP_DATA: data,
    PDP_PORT: String(port),
    PDP_API_KEY: key,
    PDP_CONTROL_PLANE: url(api),
  })

  it('starts from its last image while the management API is away, and drains on SIGTERM', async () => {
    const [data, api, port] = [temporaryFolder('pdp'), await freePort(), await freePort()]
    const management = await apiHere(data, api)
    const key = readKeys(data).environments.development
    const pdp = await startPdp(data, port, key, api)
    expect(await pdp.end()).toBe(0)
    await management.end()
    const again = await pdpHere(following(data, port, key, api))
    const health = await (await fetch(`${url(port)}/health`)).json()
    expect(health).toMatchObject({ status: 'ok', source: 'file' })
    expect(existsSync(join(data, 'pdp'))).toBe(true)
    expect(await again.end()).toBe(0)
    expect(again.output).not.toContain(key)
  })

  it('answers 401 once its key is rotated, and keeps nothing on disk; another goes on', async () => {
    const [data, api, port, other] = [temporaryFolder('pdp'), await freePort(), await freePort(), await freePort()]
    await apiHere(data, api)
    const { development: key, production } = readKeys(data).environments
    await pdpHere(following(data, port, key, api))
    await pdpHere(following(data, other, production, api))
    const images = () => readdirSync(join(data, 'pdp')).filter((name) => name.endsWith('.image')).length
    await eventually(images, 2)
    const ask = async (at: number, bearer: string) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
      return (await fetch(`${url(at)}/allowed`, { method: 'POST', headers, body })).status
    }
    expect(await ask(port, key)).toBe(200)
    const keys = parseLines((await here(['keys', 'list', '--json', '--data', data])).out)
    const [{ id }] = keys.filter((each: { environment: string }) => each.environment === 'development')
    expect((await here(['keys', 'rotate', id, '--data', data])).code).toBe(0)
    await eventually(() => ask(port, key), 401)
    await eventually(images, 1)
    expect(await ask(other, production)).toBe(200)
  })

  it('takes its key from a file', async () => {
    const [data, api, port] = [temporaryFolder('pdp'), await freePort(), await freePort()]
    await apiHere(data, api)
    const file = join(temporaryFolder('key'), 'key')
    writeFileSync(file, `${readKeys(data).environments.development}\n`)
    const { PDP_API_KEY: _, ...env } = following(data, port, '', api)
    const pdp = await pdpHere({ ...env, PDP_API_KEY_FILE: file })
    expect(
      await here(['check', 'ana', 'say', 'hello'], {
        PDP_API_KEY: readFileSync(file, 'utf8').trim(),
        PDP_PORT: String(port),
      }),
    ).toMatchObject({ code: 1 })
    expect(await pdp.end()).toBe(0)
  })
})
