// What becomes of the constructs of OpenFGA, what is wrong with files, and a server that is asked over HTTP. The laws are in
// openfga-law.test.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ImporterOptions } from '../../src/importers/frame/importer.ts'
import { readCondition } from '../../src/importers/openfga/condition.ts'
import { importer } from '../../src/importers/openfga/importer.ts'
import { loadParser } from '../../src/importers/openfga/parser.ts'
import { parseDuration, parseTimestamp } from '../../src/importers/openfga/time.ts'
import type { TupleKey } from '../../src/importers/openfga/tuples.ts'
import { temporaryFolder } from '../support/folders.ts'
import { convertWith } from './converted.ts'
import { OpenFgaReference } from './openfga-reference.ts'

/** Of a request to OpenFGA. */
interface Body {
  readonly name?: string
  readonly writes?: { readonly tuple_keys: readonly TupleKey[] }
  readonly contextual_tuples?: { readonly tuple_keys: readonly TupleKey[] }
  readonly tuple_key?: TupleKey
  readonly context?: Readonly<Record<string, unknown>>
}

/** Files by their names; the first are named on the command line. */
function convertFiles(
  files: Readonly<Record<string, string>>,
  named = [Object.keys(files)[0]!],
  options: ImporterOptions = {},
) {
  const folder = temporaryFolder('openfga')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return convertWith({ importer, from: 'openfga', questions: 80 }, folder, named, options)
}

const MODEL = `model
  schema 1.1
type user
type group
  relations
    define member: [user, group#member]
type folder
  relations
    define viewer: [user, group#member]
type doc
  relations
    define parent: [folder]
    define owner: [user]
    define viewer: [user, user:*] or owner or viewer from parent
`
const indent = (text: string): string => text.replace(/^/gm, '  ')
const printStore = (model: string, rest: string): string => `model: |\n${indent(model).trimEnd()}\n${rest}`
/** A test that asks one thing. */
const ask = (user: string, relation: string, object: string, is: boolean, more = ''): string =>
  `tests:\n  - check:\n      - { user: "${user}", object: "${object}", assertions: { ${relation}: ${is} }${more} }\n`

async function convert(model: string, rest: string, options: ImporterOptions = {}) {
  const converted = await convertFiles({ 'store.fga.yaml': printStore(model, rest) }, undefined, options)
  if (converted.report === undefined) throw new Error(JSON.stringify(converted.problems))
  const read = (name: string): string => readFileSync(join(converted.folder, name), 'utf8')
  return {
    ...converted,
    policy: parse(read('policy.yaml')) as {
      readonly resources: readonly { readonly key: string; readonly [member: string]: unknown }[]
    },
    facts: read('facts.ndjson')
      .trimEnd()
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line) as object),
    findings: converted.report.findings.map(({ kind, line, reason }) => `${line} ${kind}: ${reason}`),
  }
}

const findProblems = async (files: Readonly<Record<string, string>>, named?: string[]) =>
  (await convertFiles(files, named)).problems.map(
    ({ place, message }) => `${place.file.split('/').at(-1)}:${place.line} ${message}`,
  )

describe('a model', () => {
  it('becomes roles, relations and one derivation for each role that implies the source', async () => {
    const model = MODEL.replace(
      'define viewer: [user, group#member]',
      'define owner: [user]\n    define viewer: [user, group#member] or owner',
    )
    const { policy, report } = await convert(model, ask('user:ana', 'viewer', 'doc:d', false))
    expect(report.exact).toBe(true)
    expect(policy.resources.at(-1)).toEqual({
      key: 'doc',
      actions: { owner: {}, viewer: {} },
      relations: { parent: 'folder' },
      roles: {
        owner: { permissions: ['owner', 'viewer'] },
        viewer: {
          permissions: ['viewer'],
          everybody: true,
          granted_to: {
            users_with_role: [
              { role: 'viewer', on_resource: 'folder', linked_by_relation: 'parent' },
              { role: 'owner', on_resource: 'folder', linked_by_relation: 'parent' },
            ],
          },
        },
      },
    })
  })

  it('has the type of users in their keys where there are several, and then nothing for everyone', async () => {
    const model = MODEL.replace('type user\n', 'type user\ntype bot\n').replace(
      'define owner: [user]',
      'define owner: [user, bot]',
    )
    const tuples =
      'tuples:\n  - { user: "user:*", relation: viewer, object: "doc:d" }\n  - { user: "bot:x/1", relation: owner, object: "doc:d" }\n'
    const { facts, findings, report, folder } = await convert(model, tuples + ask('bot:x/1', 'viewer', 'doc:d', true))
    expect(facts.slice(-1)).toEqual([
      { role_assignment: { user: 'bot|x--2f1', role: 'owner', tenant: 'default', resource_instance: 'doc:d' } },
    ])
    expect(findings.filter((each) => each.includes('unsaid'))).toEqual([
      '16 unsaid: the model has several types of users, and everyone here is users of every type',
      '18 unsaid: the model has several types of users, and everyone here is users of every type',
    ])
    expect(report.proof).toMatchObject({ different: 0, allowed: 1 })
    const { toQuestion } = (await import(/* @vite-ignore */ String(pathToFileURL(join(folder, 'questions.mjs'))))) as {
      toQuestion: (...parts: string[]) => object
    }
    expect(toQuestion('bot:x/1', 'viewer', 'doc:d')).toEqual({
      user: 'bot|x--2f1',
      action: 'viewer',
      resource: { type: 'doc', key: 'd', tenant: 'default' },
    })
    const one = await convert(MODEL, ask('user:ana', 'viewer', 'doc:d', false))
    const { toQuestion: other } = (await import(
      /* @vite-ignore */ String(pathToFileURL(join(one.folder, 'questions.mjs')))
    )) as {
      toQuestion: (...parts: string[]) => object
    }
    expect(other('user:*', 'viewer', 'doc:d')).toMatchObject({ user: null })
    expect(() => other('bot:x', 'viewer', 'doc:d')).toThrow('only user can be asked about, and not bot:x')
  })

  it('keeps what stands beside `and` and `but not`', async () => {
    const model = `${MODEL}    define can: (viewer and owner) or owner\n    define other: viewer but not owner\n`
    const { policy, findings } = await convert(model, ask('user:ana', 'can', 'doc:d', false))
    expect(findings.slice(1)).toEqual([
      '16 unsaid: `viewer and owner` asks for several at once, and every rule here allows by itself',
      '17 unsaid: `viewer but not owner` takes away, and Zerohop has no rule that denies',
    ])
    expect(policy.resources.at(-1)?.roles).toMatchObject({ owner: { permissions: ['owner', 'viewer', 'can'] } })
  })

  it('may be JSON, and modules; CSV and JSON hold tuples', async () => {
    const json = JSON.stringify((await loadParser()).transformer.transformDSLToJSONObject(MODEL), null, 1)
    const csv =
      'user_type,user_id,user_relation,relation,object_type,object_id,condition_name,condition_context\nuser,ana,,member,group,"a",,\r\ngroup,a,member,viewer,folder,f,,\n'
    const tuples = JSON.stringify({
      tuples: [{ key: { user: 'folder:f', relation: 'parent', object: 'doc:d' }, timestamp: 'x' }],
    })
    const tests =
      'tests:\n  - list_users: [{ object: "doc:d", user_filter: [{ type: user }], assertions: { viewer: { users: ["user:ana"] } } }]\n'
    const files = { 'tuples.csv': csv, 'tuples.json': tuples, 'model.json': json }
    const store = `model_file: model.json\ntuple_files: [tuples.csv, tuples.json]\n${tests}`
    const whole = await convertFiles({ 'store.fga.yaml': store, ...files })
    expect(whole.problems).toEqual([])
    expect(whole.report).toMatchObject({
      exact: true,
      proof: { allowed: 1 },
    })
    const [first = '', second = ''] = MODEL.replace('model\n  schema 1.1\n', '').split('type folder')
    const modules = {
      'fga.mod': "schema: '1.2'\ncontents:\n  - a.fga\n  - more/b.fga\n",
      'a.fga': `module a\n${first}`,
      'more/b.fga': `module b\ntype folder${second}`,
    }
    const modular = await convertFiles({
      'store.fga.yaml': store.replace('model.json', 'fga.mod'),
      ...files,
      ...modules,
    })
    expect(modular.report).toMatchObject({ exact: true, proof: { allowed: 1 } })
    expect(
      await findProblems({
        'store.fga.yaml': store,
        ...files,
        'model.json': json.replace('"type": "user",', '"type": "user", "conditon": "x",'),
      }),
    ).toEqual(['model.json:1 the model has members that OpenFGA does not have'])
    expect(await findProblems({ 'model.json': '{ "type_definitions": 3 }' })).toEqual([
      expect.stringContaining("model.json:1 this is not a model as OpenFGA's API has it"),
    ])
    expect(
      await findProblems({
        'store.fga.yaml': store.replace('model.json', 'fga.mod'),
        ...files,
        ...modules,
        'more/b.fga': `module b\ntype folder${second}type x y\n`,
      }),
    ).toEqual([expect.stringMatching(/^b\.fga:10 OpenFGA's parser: /)])
  })
})

describe('conditions on time', () => {
  const read = (expression: string, context: Record<string, string> = {}) => {
    const parameters = { now: 'TIMESTAMP', a: 'TIMESTAMP', b: 'TIMESTAMP', d: 'DURATION', n: 'INT' }
    const types = Object.fromEntries(
      Object.entries(parameters).map(([name, type]) => [name, { type_name: `TYPE_NAME_${type}` }]),
    )
    const condition = readCondition({ expression, parameters: types }, 'now')
    return typeof condition === 'function' ? condition(context) : condition
  }
  const [a, b] = ['1970-01-01T00:00:01Z', '1970-01-01T00:00:02.0005Z']

  it.each([
    ['now < a + d', { until: 2500 }],
    ['a + d > now', { until: 2500 }],
    ['now - a < d', { until: 2500 }],
    ['now <= a', { until: 1001 }],
    ['now <= b', { until: 2001 }],
    ['now < b', { until: 2001 }],
    ['now >= b', { from: 2001 }],
    ['now > a', { from: 1001 }],
    ['(now >= a) && now < (b - d)', 'never'],
    ['now >= a && now < b && now < timestamp("1970-01-01T00:00:01.5Z")', { from: 1000, until: 1500 }],
    ["now < a + duration('1h') && d < duration('2s')", { until: 3_601_000 }],
    ['now < a && d > duration("1h")', 'never'],
  ])('%s', (expression, times) => {
    expect(read(expression, { a, b, d: '1.5s' })).toEqual(times)
  })

  it.each([
    ['now < a || now > b', '`|| now > b` is not a comparison of times'],
    ['n > 3', '`3` is not a comparison of times'],
    ['now < n', 'it reads `n`, which is not a time'],
    ['now < d', 'it compares an instant with a duration'],
    ['now + a < b', 'it adds two instants'],
    ['now < a + d', 'the tuple does not say what `d` is, so the application does'],
    ['now == a', '`== a` is not a comparison of times'],
    ['now < timestamp("soon")', '`timestamp("soon")` is not a constant'],
    [`now < a${' && now < a'.repeat(80)}`, 'it has more than 200 words and signs'],
  ])('%s has no equal', (expression, reason) => {
    expect(read(expression, { a, b })).toEqual({ reason: expect.stringContaining(reason) })
  })

  it('are read as OpenFGA reads them', () => {
    expect(['1h30m', '1.5h', '-10ms', '2µs', '0', '+1s'].map(parseDuration)).toEqual([
      5_400_000_000_000n,
      5_400_000_000_000n,
      -10_000_000n,
      2000n,
      0n,
      1_000_000_000n,
    ])
    expect(['', '1', 'h', '1 h', '1d', '--1s'].map(parseDuration)).toEqual(Array(6).fill(undefined))
    expect(parseTimestamp('2026-03-01T01:00:00.000000001+01:00')).toBe(1_772_323_200_000_000_001n)
    expect(
      ['2026-03-01', '2026-02-30T00:00:00Z', '2026-03-01T25:00:00Z', '2026-03-01T00:00:00'].map(parseTimestamp),
    ).toEqual(Array(4).fill(undefined))
  })

  const timed =
    MODEL.replace('define owner: [user]', 'define owner: [user with until]') +
    'condition until(at: timestamp, ends: timestamp) {\n  at < ends\n}\n'
  const tuple = (condition: string): string =>
    `tuples:\n  - { user: "user:ana", relation: owner, object: "doc:d", condition: ${condition} }\n`

  it('are read with the parameter that the command names, and else reported', async () => {
    const rest =
      tuple('{ name: until, context: { ends: "2026-01-01T00:00:00Z" } }') +
      ask('user:ana', 'owner', 'doc:d', true, ', context: { at: "2025-12-31T23:59:59.999Z" }')
    const { facts, report } = await convert(timed, rest, { presentTime: 'at' })
    expect([report.exact, facts.at(-1)]).toEqual([
      true,
      { role_assignment: expect.objectContaining({ valid_until: '2026-01-01T00:00:00.000Z' }) },
    ])
    const { findings } = await convert(timed, rest)
    expect(findings.slice(1)).toEqual([
      '16 unsaid: it does not compare `current_time`, the present time',
      '20 unsaid: condition `until`: it does not compare `current_time`, the present time',
    ])
  })
})

describe('files', () => {
  const tuples = (text: string) => ({ 'model.fga': MODEL, 'tuples.yaml': text })
  const rows = (text: string) => ({ 'model.fga': MODEL, 'tuples.csv': text })
  const both = ['model.fga', 'tuples.yaml']
  it.each([
    [tuples('- { user: "user:ana", relation: owner, object: "doc:d", conditon: x }'), both, 'tuples.yaml:1'],
    [
      tuples('- { user: "ana", relation: owner, object: "doc:d" }'),
      both,
      'tuples.yaml:1 `ana` is not a user such as user:anne, user:* or group:eng#member',
    ],
    [
      tuples('- { user: "user:ana", relation: owner, object: "doc:*" }'),
      both,
      'tuples.yaml:1 `doc:*` is not an object such as document:1',
    ],
    [
      tuples('\n- { user: "user:ana", relation: owner, object: &a "doc:d" }'),
      both,
      'tuples.yaml:2 anchors and aliases such as `&a` are not supported: write the value out',
    ],
    [
      tuples(`- { user: "user:ana", relation: owner, object: "doc:${'é'.repeat(100)}" }`),
      both,
      'tuples.yaml:1 imported key is 800 bytes long, the limit is 256',
    ],
    [rows('user_type,user_id\n'), ['model.fga', 'tuples.csv'], 'tuples.csv:1 the column `relation` is missing'],
    [
      rows('user_type,user_id,relation,object_type,object_id,x\n'),
      ['model.fga', 'tuples.csv'],
      'tuples.csv:1 unknown column `x`',
    ],
    [
      rows('user_type,user_id,relation,object_type,object_id\nuser,ana,owner,doc\n'),
      ['model.fga', 'tuples.csv'],
      'tuples.csv:2 the first line has 5 columns, this one has 4',
    ],
    [
      rows('user_type,user_id,relation,object_type,object_id\nuser,"ana,owner,doc,d\n'),
      ['model.fga', 'tuples.csv'],
      'tuples.csv:2 a quote is not closed',
    ],
    [
      rows('user_type,user_id,relation,object_type,object_id,condition_context\nuser,ana,owner,doc,d,{}\n'),
      ['model.fga', 'tuples.csv'],
      'tuples.csv:2 there is a `condition_context`',
    ],
    [{ 'model.fga': MODEL.replace('[user]', '[nobody]') }, ['model.fga'], 'model.fga:13'],
    [{ 'model.fga': MODEL.replace('define owner', 'defin owner') }, ['model.fga'], 'model.fga:13'],
    [
      { 'store.fga.yaml': 'name: x' },
      ['store.fga.yaml'],
      'store.fga.yaml:1 the store has neither `model` nor `model_file`',
    ],
    [{ 'store.fga.yaml': printStore(MODEL, 'test: []') }, ['store.fga.yaml'], 'store.fga.yaml:16'],
    [
      { 'store.fga.yaml': printStore(MODEL, ask('user:ana', 'editor', 'doc:d', true)) },
      ['store.fga.yaml'],
      'store.fga.yaml:18 the type `doc` has no relation `editor`',
    ],
    [
      { 'store.fga.yaml': printStore(MODEL, ask('bot:ana', 'viewer', 'doc:d', true)) },
      ['store.fga.yaml'],
      'store.fga.yaml:18 the model has no type `bot`',
    ],
    [
      { 'store.fga.yaml': printStore(MODEL.replace('[user]', '[nobody]'), '') },
      ['store.fga.yaml'],
      'store.fga.yaml:14',
    ],
  ])('that are wrong say where: %#', async (files, named, expected) => {
    expect((await findProblems(files as Record<string, string>, named))[0]).toContain(expected)
  })

  it('may have tuples that the model does not allow, and the same tuple twice', async () => {
    const line = '  - { user: "user:ana", relation: owner, object: "doc:d" }\n'
    const { findings, report } = await convert(
      MODEL,
      `tuples:\n${line}${line}${line.replace('user:ana', 'folder:f')}${ask('user:ana', 'viewer', 'doc:d', true)}`,
    )
    expect(findings.filter((each) => each.includes('allow'))).toEqual([
      '19 note: the model does not allow it, so OpenFGA ignores it',
    ])
    expect(report.exact).toBe(true)
  })

  it('without tests prove nothing', async () => {
    await expect(convertFiles({ 'model.fga': MODEL })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('the store has no tests'),
    })
  })
})

describe('a running OpenFGA', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  /** Answers what the documentation of the HTTP API says, out of the reference; it is not OpenFGA. */
  async function start(broken?: string) {
    const requests: { readonly route: string; readonly body: Body }[] = []
    const written: TupleKey[] = []
    let model: unknown
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Body
      const route = `${request.method} ${request.url}`
      requests.push({ route, body })
      const send = (status: number, answer?: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(answer && JSON.stringify(answer))
      }
      if (route === broken) send(400, { code: 'validation_error', message: 'no' })
      else if (route === 'POST /stores') send(201, { id: '01S', name: body.name })
      else if (route === 'POST /stores/01S/authorization-models') {
        model = body
        send(201, { authorization_model_id: '01M' })
      } else if (route === 'POST /stores/01S/write') {
        written.push(...(body.writes?.tuple_keys ?? []))
        send(200, {})
      } else if (route === 'POST /stores/01S/check') {
        const tuples = [...written, ...(body.contextual_tuples?.tuple_keys ?? [])]
        const { user = '', relation = '', object = '' } = body.tuple_key ?? {}
        send(200, {
          allowed: new OpenFgaReference(model as never, tuples, () => true).check(
            user,
            relation,
            object,
            body.context ?? {},
          ),
          resolution: '',
        })
      } else send(204)
    })
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
    return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  const tuples = `tuples:\n${Array.from({ length: 101 }, (_, at) => `  - { user: "user:u${at}", relation: owner, object: "doc:d" }\n`).join('')}`
  const test = `${ask('user:ana', 'viewer', 'doc:d', true)}    tuples:\n      - { user: "user:*", relation: viewer, object: "doc:d" }\n`

  it('gets a store of its own, is asked every combination, and loses the store', async () => {
    const { url, requests } = await start()
    const { report } = await convert(MODEL, tuples + test, { openfgaUrl: `${url}/` })
    expect(report).toMatchObject({ exact: true, proof: { engine: `OpenFGA at ${url}/`, different: 0, wider: 0 } })
    expect(report.proof.universe).toContain('doc: 102 users × 2 relations × 2 objects')
    const routes = requests.map(({ route }) => route)
    expect(routes.slice(0, 5)).toEqual([
      'POST /stores',
      'POST /stores/01S/authorization-models',
      'POST /stores/01S/write',
      'POST /stores/01S/write',
      'POST /stores/01S/check',
    ])
    expect(routes.at(-1)).toBe('DELETE /stores/01S')
    expect(requests[4]?.body).toEqual({
      authorization_model_id: '01M',
      tuple_key: { user: 'user:ana', relation: 'viewer', object: 'doc:d' },
      contextual_tuples: { tuple_keys: [{ user: 'user:*', relation: 'viewer', object: 'doc:d' }] },
      context: {},
    })
  })

  it('that refuses, does not answer or is something else is an error, and its store is deleted', async () => {
    const { url, requests } = await start('POST /stores/01S/write')
    await expect(convert(MODEL, tuples + test, { openfgaUrl: url })).rejects.toThrow(
      `OpenFGA at ${url}/stores/01S/write: 400 {"code":"validation_error","message":"no"}`,
    )
    expect(requests.at(-1)?.route).toBe('DELETE /stores/01S')
    server?.close()
    server?.closeAllConnections()
    await expect(convert(MODEL, test, { openfgaUrl: url })).rejects.toThrow(`OpenFGA at ${url}/stores: `)
    await expect(convert(MODEL, test, { openfgaUrl: 'ftp://x' })).rejects.toThrow(
      '--openfga-url is an address such as http://localhost:8080',
    )
  })
})
