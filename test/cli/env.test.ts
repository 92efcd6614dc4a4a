// What the variables of the decision log, of traces and of AuthZEN are read as, and the line that a wrong one ends
// with.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Environment, envSecrets, readEnv } from '../../src/cli/configuration/env.ts'
import { readAs } from '../../src/cli/configuration/variables/value-types.ts'
import { variableFacts } from '../../src/cli/configuration/variables/variable.ts'
import { warnOfPublicUrl } from '../../src/cli/process/process.ts'
import { temporaryFolder } from '../support/folders.ts'

const withDefault = Object.entries(Environment.properties).filter(
  ([, schema]) => variableFacts(schema).default !== undefined,
)

it.each(withDefault)('%s has a default that could have been set', (name, schema) => {
  const { default: value } = variableFacts(schema)
  expect(readAs(schema, String(value), name)).toEqual(value)
})

describe('aliases', () => {
  it('count when the variable itself is not set', () => {
    const [name, alias] = ['ZEROHOP_INTEGRATION_CLIENT_ID', 'CLIENT_ID']
    const clientId = (variables: Record<string, string>) => readEnv(variables).integration.clientId
    expect(clientId({ [alias]: 'b' })).toBe('b')
    expect(clientId({ [name]: 'a', [alias]: 'b' })).toBe('a')
    expect(clientId({ [name]: ' ', [alias]: 'b' })).toBe('b')
    expect(clientId({})).toBeUndefined()
  })

  it('are what a line for a bad value names', () => {
    const line = (name: string) => `${name} must be an http or https URL, not \`idp\``
    for (const name of ['ISSUER', 'ZEROHOP_INTEGRATION_ISSUER'])
      expect(() => readEnv({ [name]: 'idp' })).toThrow(line(name))
  })

  it('of a secret may be files, and are secrets', () => {
    const file = join(temporaryFolder('token'), 'token')
    writeFileSync(file, 'from-the-file\n')
    for (const name of ['PERMIT_TOKEN_FILE', 'ZEROHOP_TOKEN_FILE', 'ZEROHOP_INTEGRATION_TOKEN_FILE']) {
      const env = readEnv({ [name]: file })
      expect([env.integration.token, envSecrets(env)]).toEqual(['from-the-file', ['from-the-file']])
    }
  })
})

it('the key of the integration backend is read under its own name, then ours, then that of others', () => {
  const own = 'ZEROHOP_INTEGRATION_TOKEN'
  const token = (variables: Record<string, string>) => readEnv(variables).integration.token
  const all = { PERMIT_TOKEN: 'theirs', ZEROHOP_TOKEN: 'ours', [own]: 'own' }
  expect(token(all)).toBe('own')
  expect(token({ ...all, [own]: '' })).toBe('ours')
  expect(token({ ...all, [own]: '', ZEROHOP_TOKEN: ' ' })).toBe('theirs')
  expect(token({ ZEROHOP_TOKEN: ' ours\n' })).toBe('ours')
  const nowhere = join(temporaryFolder('token'), 'nowhere')
  expect(() => token({ ...all, [own]: '', ZEROHOP_TOKEN: '', ZEROHOP_TOKEN_FILE: nowhere })).toThrow('ZEROHOP_TOKEN')
})

describe('secrets', () => {
  it('are all keys that are set, also one that another wins over', () => {
    const variables = { PDP_PROJECT_API_KEY: 'one', PDP_ORG_API_KEY: 'two', PDP_ACTIVE_ENV: 'three' }
    expect([...envSecrets(readEnv(variables))].sort()).toEqual(['one', 'two'])
  })
})

describe('variables of the decision log', () => {
  it('are off, or say where records go and what happens when they cannot be kept', () => {
    expect(readEnv({}).decisionLog).toMatchObject({ sinks: undefined, attributes: false, reasons: false })
    for (const [sinks, policy] of [
      ['file', 'block'],
      ['file,api', 'drop'],
      ['API, stdout', 'drop'],
      ['off', 'block'],
    ] as const)
      expect([sinks, readEnv({ PDP_DECISION_LOG: sinks }).decisionLog.policy]).toEqual([sinks, policy])
    expect(readEnv({ PDP_DECISION_LOG: 'off' }).decisionLog.sinks).toEqual([])
    const kept = { PDP_DECISION_LOG: 'file,api', PDP_DECISION_LOG_POLICY: 'block', PDP_DECISION_LOG_BUFFER: '1M' }
    expect(readEnv(kept).decisionLog).toMatchObject({ policy: 'block', bufferBytes: 2 ** 20, sinks: ['file', 'api'] })
  })
})

describe('variables of traces', () => {
  it('turn traces on by an address or a name, and the standard switch turns them off', () => {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
    expect(readEnv({}).tracing.exporter).toBe('none')
    expect(readEnv(on).tracing.exporter).toBe('otlp')
    expect(readEnv({ ...on, OTEL_SDK_DISABLED: 'true' }).tracing.exporter).toBe('none')
    expect(readEnv({ OTEL_TRACES_EXPORTER: 'console' }).tracing.exporter).toBe('console')
    expect(readEnv({ OTEL_RESOURCE_ATTRIBUTES: 'a=1, b=x%2Cy=z ,' }).tracing.resource).toEqual({ a: '1', b: 'x,y=z' })
  })
})

it.each([
  ['PDP_DECISION_LOG', 'file,'],
  ['PDP_DECISION_LOG_POLICY', 'refuse'],
  ['PDP_DECISION_LOG_BUFFER', '0'],
  ['PDP_DECISION_LOG_FILE_SIZE', 'much'],
  ['PDP_DECISION_LOG_FILES', '0'],
  ['PDP_DECISION_LOG_ATTRIBUTES', 'perhaps'],
  ['OTEL_TRACES_EXPORTER', 'jaeger'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
  ['PDP_CONTROL_PLANE', 'http://api:8080/#top'],
  ['PDP_AUTHZEN_SUBJECT_TYPES', ','],
  ['ZEROHOP_INTEGRATION_FRONTEND_ORIGIN', 'https://app.example.com/path'],
  ['ZEROHOP_INTEGRATION_FRONTEND_ORIGIN', 'ftp://app.example.com'],
])('%s that is `%s` ends with a line that names it', (name, value) => {
  expect(() => readEnv({ [name]: value })).toThrow(
    new RegExp(`^${name} must be .*, not \`${value.replace('?', '\\?')}\`$`),
  )
})

it('an origin and words are read without what is around them', () => {
  const { integration, authzen } = readEnv({
    ZEROHOP_INTEGRATION_FRONTEND_ORIGIN: 'https://app.example.com:8443',
    PDP_AUTHZEN_SUBJECT_TYPES: 'user , employee',
  })
  expect([integration.frontendOrigin, authzen.subjectTypes]).toEqual([
    'https://app.example.com:8443',
    ['user', 'employee'],
  ])
})

it('the name of a PDP is one that can be shown', () => {
  expect(readEnv({ ZEROHOP_PDP_NAME: 'Kasse 1, Zürich' }).pdpName).toBe('Kasse 1, Zürich')
  for (const name of ['two\nlines', 'x'.repeat(129)])
    expect(() => readEnv({ ZEROHOP_PDP_NAME: name })).toThrow(/^ZEROHOP_PDP_NAME .*1 to 128 printable characters/)
})

describe('variables of replicas', () => {
  const key = '0123456789ABCDEF'.repeat(4)
  const url = 'postgres://zerohop:secret-word@db:5432/zerohop'

  it('are an address and a key, both secrets', () => {
    const env = readEnv({ ZEROHOP_DATABASE_URL: url, ZEROHOP_SECRETS_KEY: key })
    expect([env.database?.url, envSecrets(env)]).toEqual([url, expect.arrayContaining([key])])
  })

  it.each([
    ['ZEROHOP_DATABASE_URL', 'mysql://zerohop:secret-word@db/zerohop', /must be an address such as postgres:/],
    ['ZEROHOP_DATABASE_URL', 'secret-word', /must be an address such as postgres:/],
    ['ZEROHOP_SECRETS_KEY', key.slice(1), /must be 64 hex digits/],
    ['ZEROHOP_SECRETS_KEY', key.replace('F', 'G'), /must be 64 hex digits/],
  ])('%s that is `%s` is refused, and not repeated', (name, value, message) => {
    const read = () => readEnv({ [name]: value })
    expect(read).toThrow(message)
    expect(read).toThrow(new RegExp(`^${name} `))
    expect(read).not.toThrow(value)
  })
})

describe('ZEROHOP_METRICS_TOKEN', () => {
  it('is a text, or the content of a file, and a secret', () => {
    const token = 'a-token-of-the-operator'
    const file = join(temporaryFolder('token'), 'token')
    writeFileSync(file, `${token}\n`)
    for (const variables of [{ ZEROHOP_METRICS_TOKEN: token }, { ZEROHOP_METRICS_TOKEN_FILE: file }]) {
      const env = readEnv(variables)
      expect([env.metricsToken, envSecrets(env)]).toEqual([token, [token]])
    }
    expect(readEnv({}).metricsToken).toBeUndefined()
  })

  it.each(['short', 'with a blank in the middle'])('that is `%s` is refused, and not repeated', (token) => {
    const line = 'ZEROHOP_METRICS_TOKEN needs at least 16 printable characters without blanks'
    expect(() => readEnv({ ZEROHOP_METRICS_TOKEN: token })).toThrow(line)
  })
})

it.each([
  'pdp.example.com',
  'https://pdp.example.com/?tenant=1',
  'https://ana:secret@pdp.example.com',
  'http://0.0.0.0:7000',
])('PDP_PUBLIC_URL that is `%s` ends with a line that names it, without its value', (value) => {
  const read = () => readEnv({ PDP_PUBLIC_URL: value })
  expect(read).toThrow(/^PDP_PUBLIC_URL must /)
  expect(read).not.toThrow(value)
  expect(readEnv({ PDP_PUBLIC_URL: 'https://pdp.example.com/a/' }).authzen.publicUrl).toBe('https://pdp.example.com/a')
})

it('a public URL that is not https gives a warning', () => {
  const warned = (PDP_PUBLIC_URL: string) => {
    const lines: unknown[] = []
    warnOfPublicUrl(readEnv({ PDP_PUBLIC_URL }), { warn: (...line: unknown[]) => lines.push(line) } as never)
    return lines.length
  }
  expect(['https://pdp.example.com', 'HTTPS://pdp.example.com', 'http://pdp.example.com', ''].map(warned)).toEqual([
    0, 0, 1, 0,
  ])
})

describe('variables of the console', () => {
  it('switch it off, or name the hosts under which it is used', () => {
    const of = (variables: Record<string, string>) => readEnv(variables).console
    expect(of({})).toEqual({ origins: [] })
    expect(of({ ZEROHOP_CONSOLE: 'off' })).toBeUndefined()
    const hosts = 'console.example.com, Other.example.com:8443,http://10.0.0.5:8080,https://[2001:db8::1]'
    expect(of({ ZEROHOP_CONSOLE_HOSTS: hosts })?.origins).toEqual([
      'https://console.example.com',
      'https://other.example.com:8443',
      'http://10.0.0.5:8080',
      'https://[2001:db8::1]',
    ])
  })

  it.each(['*', '*.example.com', 'a,,b', 'https://a.example.com/console', 'ftp://a.example.com', 'a b', 'user@host'])(
    'refuse %s as a host',
    (hosts) => {
      expect(() => readEnv({ ZEROHOP_CONSOLE_HOSTS: hosts })).toThrow('ZEROHOP_CONSOLE_HOSTS must be hosts with commas')
    },
  )

  const PROVIDER = {
    ZEROHOP_CONSOLE_ISSUER: 'https://login.example.com/realms/acme',
    ZEROHOP_CONSOLE_CLIENT_ID: 'zerohop',
    ZEROHOP_CONSOLE_ACCESS: 'ops=admin, /desk=support@shop/production,*=viewer',
  }

  it('name the provider and the rules of access, and the client secret is a secret', () => {
    const env = readEnv({ ...PROVIDER, ZEROHOP_CONSOLE_CLIENT_SECRET: 's3cret' })
    expect(env.console?.provider).toEqual({
      issuer: 'https://login.example.com/realms/acme',
      clientId: 'zerohop',
      clientSecret: 's3cret',
      claim: 'groups',
      scopes: 'openid profile',
      rules: [
        { value: 'ops', role: 'admin' },
        { value: '/desk', role: 'support', project: 'shop', environment: 'production' },
        { value: '*', role: 'viewer' },
      ],
    })
    expect(envSecrets(env)).toEqual(['s3cret'])
    const names = readEnv({ ...PROVIDER, ZEROHOP_CONSOLE_ACCESS: 'CN=ops,DC=acme=admin; CN=dev=editor@shop' })
    expect(names.console?.provider?.rules).toEqual([
      { value: 'CN=ops,DC=acme', role: 'admin' },
      { value: 'CN=dev', role: 'editor', project: 'shop' },
    ])
  })

  it.each([
    [{ ZEROHOP_CONSOLE_CLIENT_ID: '' }, 'ZEROHOP_CONSOLE_ISSUER needs ZEROHOP_CONSOLE_CLIENT_ID'],
    [{ ZEROHOP_CONSOLE_ACCESS: '' }, 'ZEROHOP_CONSOLE_ISSUER needs ZEROHOP_CONSOLE_ACCESS'],
    [
      { ZEROHOP_CONSOLE_ACCESS: 'a=tenant-admin@shop/production/acme' },
      'a rule of ZEROHOP_CONSOLE_ACCESS for tenant-admin needs ZEROHOP_CONSOLE_USER_CLAIM',
    ],
    [{ ZEROHOP_CONSOLE_ISSUER: 'http://login.example.com' }, 'ZEROHOP_CONSOLE_ISSUER must be an https URL'],
    [{ ZEROHOP_CONSOLE_ISSUER: 'login' }, 'ZEROHOP_CONSOLE_ISSUER must be an https URL'],
    [{ ZEROHOP_CONSOLE_ACCESS: 'ops=owner' }, 'ZEROHOP_CONSOLE_ACCESS must be rules'],
    [{ ZEROHOP_CONSOLE_ACCESS: 'ops' }, 'ZEROHOP_CONSOLE_ACCESS must be rules'],
    [{ ZEROHOP_CONSOLE_ACCESS: 'ops=admin@a/b/c' }, 'ZEROHOP_CONSOLE_ACCESS must be rules'],
    [{ ZEROHOP_CONSOLE_ACCESS: '=admin' }, 'ZEROHOP_CONSOLE_ACCESS must be rules'],
  ])('refuse a provider with %j', (change, line) => {
    expect(() => readEnv({ ...PROVIDER, ...change })).toThrow(line)
  })
})
