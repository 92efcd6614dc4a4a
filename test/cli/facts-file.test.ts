// `zerohop export|import` of facts as lines: at a server and in a data folder, packed and not, cut on the way and gone on
// with, and what is wrong in a file. Needs the build.
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FACTS_SENT_PER_CALL } from '../../src/model/limits.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

const folder = temporaryFolder('facts-cli')
const data = join(folder, 'data')
const file = (name: string) => join(folder, name)
let address = ''
let env: Record<string, string> = {}

const WHERE = ['--project', 'default', '--environment']
const USERS = 2 * FACTS_SENT_PER_CALL + 10
const lines = (...facts: unknown[]) => facts.map((fact) => `${JSON.stringify(fact)}\n`).join('')
const made = lines(
  { zerohop_facts: 1 },
  { tenant: { key: 'acme' } },
  ...Array.from({ length: USERS }, (_, at) => ({ user: { key: `user-${at}` } })),
  ...Array.from({ length: USERS }, (_, at) => ({
    role_assignment: { user: `user-${at}`, role: 'reader', tenant: 'acme' },
  })),
)
const COUNT = (2 * USERS + 1).toLocaleString('en-US')
const run = (args: readonly string[], of = env) => runHere(args, of)
/** The facts of a file, without its first and last line. */
const factsIn = (text: string) => text.trimEnd().split('\n').slice(1, -1)

beforeAll(async () => {
  const port = await freePort()
  await apiHere(data, port)
  address = url(port)
  env = { ZEROHOP_API: address, PDP_API_KEY: readKeys(data).organization! }
  writeFileSync(file('made.ndjson'), made)
  writeFileSync(file('made.ndjson.gz'), gzipSync(made))
  const policy = {
    zerohop: 2,
    resources: [{ key: 'doc', actions: { read: {} } }],
    roles: [{ key: 'reader', permissions: ['doc:read'] }],
  }
  writeFileSync(file('policy.json'), JSON.stringify(policy))
  for (const e of ['development', 'production']) {
    const { code, err } = await run(['import', file('policy.json'), ...WHERE, e])
    expect([code, err]).toEqual([0, ''])
  }
})
afterAll(() => endServers())

describe.each([
  ['at a server', 'development', 'made.ndjson', 'out.ndjson', [] as string[]],
  ['in a data folder', 'production', 'made.ndjson.gz', 'out.ndjson.gz', ['--data', data]],
])('%s', (_, e, from, to, target) => {
  const where = [...WHERE, e, ...target]
  const read = (name: string) => {
    const bytes = readFileSync(file(name))
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  }

  it('imports a file in several revisions, and nothing the second time', async () => {
    const first = await run(['import', file(from), ...where])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(
      new RegExp(`^${COUNT} facts: ${COUNT} created, 0 changed, 0 were as in the file; revision \\d+\n$`),
    )
    const second = await run(['import', file(from), ...where, '--json'])
    expect(JSON.parse(second.out)).toMatchObject({ facts: 2 * USERS + 1, created: 0, changed: 0 })
  })

  it('exports them into a private file, which is imported as the same', async () => {
    const { code, out, err } = await run(['export', '--facts', file(to), ...where])
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/^[\d,]+ facts of revision \d+\n$/)
    expect(statSync(file(to)).mode & 0o777).toBe(0o600)
    expect(existsSync(`${file(to)}.partial`)).toBe(false)
    expect(factsIn(read(to))).toEqual(expect.arrayContaining(factsIn(`${made}\n`)))
    const again = await run(['import', file(to), ...where])
    expect(again.out).toContain(' 0 created, 0 changed, ')
  })

  it('goes on with what an earlier export left', async () => {
    const whole = read(to)
    const cut = whole.slice(0, 20_000)
    writeFileSync(`${file(to)}.partial`, to.endsWith('.gz') ? gzipSync(cut).subarray(0, -30) : cut)
    const { code, err } = await run(['export', '--facts', file(to), '--resume', ...where])
    expect(code, err).toBe(0)
    expect(read(to)).toBe(whole)
    expect([`${file(to)}.partial`, `${file(to)}.partial.old`].filter((name) => existsSync(name))).toEqual([])
  })

  it('prints them, of a past revision too', async () => {
    const { out } = await run(['export', '--facts', '-', '--format', 'ndjson', '--at', '2', ...where])
    expect(out).toMatch(/^\{"zerohop_facts":1,"revision":2\}\n/)
    expect(out).not.toContain('user-')
  })

  it.each([
    [
      'a line that is no JSON',
      `${lines({ zerohop_facts: 1 }, { user: { key: 'x' } })}{"user"\n`,
      /:3: the body is not valid JSON/,
    ],
    ['an unknown field', lines({ zerohop_facts: 1 }, { user: { key: 'x', nme: '' } }), /:2: user\.nme: extra fields/],
    [
      'a wrong key',
      lines({ zerohop_facts: 1 }, {}, { user: { key: 'a b' } }).replace('{}', ''),
      /:3: user\.key: invalid user key/,
    ],
    [
      'what does not exist',
      lines({ zerohop_facts: 1 }, { membership: { user: 'nobody', tenant: 'acme' } }),
      /:2: membership\.user: .*`nobody`/,
    ],
    ['no header', lines({ user: { key: 'x' } }), /begins with the line \{"zerohop_facts":1\}/],
    ['another version', lines({ zerohop_facts: 2 }), /a form that is not known; known is 1/],
    ['nothing', '', /it is empty/],
    [
      'a file that was cut',
      lines({ zerohop_facts: 1, revision: 5 }, { tenant: { key: 'acme' } }),
      /it ends after 1 fact, without/,
    ],
    [
      'a file with a gap',
      lines({ zerohop_facts: 1 }, { tenant: { key: 'acme' } }, { end: { facts: 2 } }),
      /it has 1 fact instead of 2/,
    ],
    [
      'a line after the end',
      lines({ zerohop_facts: 1 }, { end: { facts: 0 } }, { tenant: { key: 'acme' } }),
      /line 3 follows the line that ends/,
    ],
  ])('refuses %s', async (_what, text, message) => {
    writeFileSync(file('bad.ndjson'), text)
    const refused = await run(['import', file('bad.ndjson'), ...where])
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(message)
  })

  it('says from which line on a mended file is applied', async () => {
    const bad = made
      .replace('{"user":{"key":"user-1500"}}', '{"user":{"key":"user 1500"}}')
      .replaceAll('user-', 'again-')
    writeFileSync(file('bad.ndjson'), bad)
    const { code, err } = await run(['import', file('bad.ndjson'), ...where])
    expect(code).toBe(1)
    expect(err).toMatch(/bad\.ndjson:1503: user\.key: invalid user key/)
    const from = /--from-line (\d+)/.exec(err)?.[1] ?? ''
    expect(from).toBe(String(FACTS_SENT_PER_CALL + 2))
    writeFileSync(file('bad.ndjson'), bad.replace('user 1500', 'again-1500'))
    const { out } = await run(['import', file('bad.ndjson'), '--from-line', from, ...where])
    const rest = (2 * USERS + 1 - FACTS_SENT_PER_CALL).toLocaleString('en-US')
    expect(out).toContain(`${rest} facts: ${rest} created`)
  })
})

it('only checks the form in a dry run', async () => {
  const { out } = await run(['import', file('made.ndjson'), '--dry-run'])
  expect(out).toContain(`${COUNT} facts of the right form`)
  writeFileSync(file('bad.ndjson'), lines({ zerohop_facts: 1 }, { user: { key: 1 } }))
  expect(await run(['import', file('bad.ndjson'), '--dry-run'])).toMatchObject({
    code: 1,
    err: expect.stringContaining(':2: user.key'),
  })
})

it('refuses options that do not fit', async () => {
  for (const [args, message] of [
    [['export', file('x.ndjson')], /add --facts/],
    [['export', '--facts', '--resume', file('x.json')], /--resume is for facts as lines/],
    [['import', file('policy.json'), '--from-line', '2'], /--from-line is for facts as lines/],
    [['import', file('missing.ndjson')], /does not exist/],
  ] as const)
    expect(await run(args)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
})

it('an export that is refused touches no file, and leaves what an earlier one left', async () => {
  const [to, part] = [file('refused.ndjson'), file('refused.ndjson.partial')]
  const of = { ...env, PDP_API_KEY: 'zh_env_unknown' }
  expect(await run(['export', '--facts', to], of)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not known'),
  })
  expect([existsSync(to), existsSync(part)]).toEqual([false, false])
  writeFileSync(part, 'left')
  expect((await run(['export', '--facts', to], of)).code).toBe(1)
  expect(readFileSync(part, 'utf8')).toBe('left')
  const nowhere = await run(['export', '--facts', file('none/facts.ndjson'), ...WHERE, 'development'])
  expect(nowhere).toMatchObject({
    code: 1,
    err: expect.stringMatching(/none\/facts\.ndjson` cannot be written: ENOENT\n$/),
  })
})

it('an export through a link writes the file that it leads to, which keeps its mode', async () => {
  writeFileSync(file('linked.ndjson'), 'old', { mode: 0o640 })
  symlinkSync(file('linked.ndjson'), file('link.ndjson'))
  expect((await run(['export', '--facts', file('link.ndjson'), ...WHERE, 'development'])).code).toBe(0)
  expect(lstatSync(file('link.ndjson')).isSymbolicLink()).toBe(true)
  expect(readFileSync(file('linked.ndjson'), 'utf8')).toMatch(/^\{"zerohop_facts":1/)
  expect(statSync(file('linked.ndjson')).mode & 0o777).toBe(0o640)
})

it('an export goes on where it was cut, with the same revision', async () => {
  const proxy = await cuttingProxy(address)
  const of = { ...env, ZEROHOP_API: proxy.url }
  const where = [...WHERE, 'development']
  proxy.path = '/export?'
  proxy.cutAt = 120_000 // of each answer, until the last one is shorter
  const { code, err } = await run(['export', '--facts', file('cut.ndjson'), ...where], of)
  expect(code, err).toBe(0)
  expect(err).toContain('its answer was cut on the way; trying again')
  await run(['export', '--facts', file('whole.ndjson'), ...where])
  expect(readFileSync(file('cut.ndjson'), 'utf8')).toBe(readFileSync(file('whole.ndjson'), 'utf8'))
})

it('an import waits for a server that is away for a moment', async () => {
  let refused = 0
  const server = createServer(async (request, response) => {
    const isImport = request.url?.endsWith('/import')
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    if (isImport && refused++ === 0) return response.writeHead(503).end()
    const { authorization = '', 'content-type': type = '' } = request.headers
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
    const headers = { authorization, 'content-type': type }
    const answer = await fetch(address + request.url, { method: request.method!, headers, ...body })
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'x-revision': answer.headers.get('x-revision') ?? '',
    })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const { code, out, err } = await run(['import', file('made.ndjson'), ...WHERE, 'development'], {
    ...env,
    ZEROHOP_API: url(port),
  })
  expect([code, err]).toEqual([0, expect.stringMatching(/status 503.*trying again in 0\.5 s/)])
  expect(out).toContain(`${COUNT} facts: `)
})
