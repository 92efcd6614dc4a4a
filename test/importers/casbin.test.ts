// What becomes of the constructs of casbin: policies and facts as texts, findings with their lines, and what is wrong with
// files. The laws are in casbin-law.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadPeer } from '../../src/importers/frame/load-peer.ts'
import { sampleIndexes } from '../../src/importers/frame/universe.ts'
import { temporaryFolder } from '../support/folders.ts'
import { convertFiles, convertTexts } from './converted.ts'

interface Parts {
  readonly request?: string
  readonly columns?: string
  readonly roles?: string
  readonly effect?: string
  readonly matcher?: string
}

const printModel = ({
  request = 'sub, obj, act',
  columns = request,
  roles = 'g = _, _',
  effect = 'some(where (p.eft == allow))',
  matcher = 'g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act',
}: Parts = {}): string =>
  `[request_definition]\nr = ${request}\n\n[policy_definition]\np = ${columns}\n\n[role_definition]\n${roles}\n\n[policy_effect]\ne = ${effect}\n\n[matchers]\nm = ${matcher}\n`

interface Policy {
  readonly resources?: readonly object[]
  readonly roles?: readonly { readonly key: string }[]
  readonly [section: string]: unknown
}

async function convert(parts: Parts, rules: string, options: Record<string, boolean> = {}) {
  const converted = await convertTexts(printModel(parts), rules, options)
  if (converted.report === undefined) throw new Error(JSON.stringify(converted.problems))
  const facts = readFileSync(join(converted.folder, 'facts.ndjson'), 'utf8').trimEnd().split('\n').slice(1, -1)
  return {
    ...converted,
    policy: parse(readFileSync(join(converted.folder, 'policy.yaml'), 'utf8')) as Policy,
    facts: facts.map((line) => JSON.parse(line) as Record<string, unknown>),
    findings: converted.report.findings.map(
      ({ kind, file, line, reason }) => `${file.split('/').at(-1)}:${line} ${kind}: ${reason}`,
    ),
  }
}

const DOMAINS = {
  request: 'sub, dom, obj, act',
  roles: 'g = _, _, _',
  matcher: 'g(r.sub, p.sub, r.dom) && r.dom == p.dom && r.obj == p.obj && r.act == p.act',
}

describe('roles', () => {
  it('are those that others are linked to; what rules give to a user is a role of its own', async () => {
    const { policy, facts, report } = await convert(
      {},
      'p, ana, data1, read\np, admin, data1, write\ng, ana, editor\ng, editor, admin\n',
    )
    expect(policy.roles).toEqual([
      { key: 'editor', extends: ['admin'] },
      { key: 'admin', permissions: ['data1:write'] },
      { key: 'ana', permissions: ['data1:read'] },
    ])
    expect(facts).toEqual([
      { user: { key: 'ana' } },
      { role_assignment: { user: 'ana', role: 'editor', tenant: 'default' } },
      { role_assignment: { user: 'ana', role: 'ana', tenant: 'default' } },
    ])
    expect(report.exact).toBe(true)
  })

  it('have a name for each domain where they differ, and one name where they do not', async () => {
    const rules = [
      'p, admin, d1, x, read',
      'p, admin, d2, x, write',
      'p, reader, d1, x, read',
      'p, reader, d2, x, read',
    ]
    const links = ['g, ana, admin, d1', 'g, ben, admin, d2', 'g, ana, reader, d1', 'g, ana, reader, d2']
    const { policy, facts, report } = await convert(DOMAINS, [...rules, ...links].join('\n'))
    expect(policy.roles?.map(({ key }) => key)).toEqual(['admin_d1', 'reader', 'admin_d2'])
    expect(facts.filter((fact) => 'role_assignment' in fact)).toEqual([
      { role_assignment: { user: 'ana', role: 'admin_d1', tenant: 'd1' } },
      { role_assignment: { user: 'ana', role: 'reader', tenant: 'd1' } },
      { role_assignment: { user: 'ben', role: 'admin_d2', tenant: 'd2' } },
      { role_assignment: { user: 'ana', role: 'reader', tenant: 'd2' } },
    ])
    expect(report.exact).toBe(true)
  })

  it('of a single user have nothing of the roles of that user: in another domain they would be more', async () => {
    const matcher = 'g(r.sub, p.sub, r.dom) && keyMatch(r.obj, p.obj) && r.act == p.act'
    const rules = 'p, ana, x, read\np, admin, x, write\ng, ana, admin, d1\ng, ben, admin, d2\n'
    const { policy, report } = await convert({ ...DOMAINS, columns: 'sub, obj, act', matcher }, rules)
    expect(policy.set_rules).toContainEqual(expect.objectContaining({ user_set: 'admin', permission: 'object:write' }))
    expect(policy.set_rules).not.toContainEqual(
      expect.objectContaining({ user_set: 'ana', permission: 'object:write' }),
    )
    expect(report.proof.wider).toBe(0)
  })

  it('of one domain are refused when their name is that of another role', async () => {
    const rules =
      'p, admin, d1, x, read\np, admin, d2, x, write\np, admin_d1, d1, x, write\ng, a, admin, d1\ng, a, admin, d2\ng, b, admin_d1, d1\n'
    const { problems } = await convertTexts(printModel(DOMAINS), rules)
    expect(problems.map(({ message }) => message)).toEqual([
      'the role `admin_d1` and the role `admin` in `d1` would both be the role `admin_d1`: rename one of them in the old files',
    ])
  })

  it('are users, too, where the command says so', async () => {
    const rules = 'p, admin, data1, write\ng, ana, admin\n'
    const without = await convert({}, rules)
    expect(without.findings).toEqual([
      'model.conf:8 note: casbin also answers for a role as the subject, and these are not asked about: admin',
    ])
    const { findings, facts, report } = await convert({}, rules, { rolesAsUsers: true })
    expect([findings, report.exact, report.proof.questions]).toEqual([[], true, without.report.proof.questions + 4])
    expect(facts).toContainEqual({ role_assignment: { user: 'admin', role: 'admin', tenant: 'default' } })
  })

  it('that are users have nothing that is for the role alone as a subject', async () => {
    const matcher = '(r.sub == p.sub || g(r.sub, "admin")) && r.obj == p.obj && r.act == p.act'
    const { findings, report } = await convert({ matcher }, 'p, root, x, read\ng, ana, root\ng, ben, admin\n', {
      rolesAsUsers: true,
    })
    expect(findings).toEqual([
      'policy.csv:1 unsaid: it is for the role itself as a subject, and not for those who have the role',
    ])
    expect(report.proof).toMatchObject({ wider: 0, different: 1 })
  })

  it('in a circle, beyond ten links, and with names like patterns are reported, and give nothing', async () => {
    const circle = await convert({}, 'p, a, x, read\np, b, x, write\ng, ana, a\ng, a, b\ng, b, a\n')
    expect(circle.findings.slice(1)).toEqual([
      'policy.csv:4 unsaid: the roles are linked in a circle',
      'policy.csv:5 unsaid: the roles are linked in a circle',
    ])
    expect(circle.report.proof).toMatchObject({ wider: 0, different: 2 })
    const chain = Array.from({ length: 11 }, (_, at) => `g, ${at === 0 ? 'ana' : `r${at}`}, r${at + 1}`)
    const far = await convert({}, `p, r10, x, read\np, r11, x, write\n${chain.join('\n')}\n`)
    expect(far.findings.slice(1)).toEqual([
      'policy.csv:13 unsaid: it leads to a chain of more than 10 links, where casbin stops',
    ])
    expect(far.report.proof).toMatchObject({ different: 0, allowed: 4 })
    const pattern = await convert({}, 'p, admin, x, read\ng, /ops/*, admin\n')
    expect(pattern.findings).toEqual([
      'policy.csv:2 unsaid: a name looks like a pattern, and whether a matching function is registered for it stands in no file',
    ])
  })
})

describe('the matcher', () => {
  it('has alternatives, and columns with a value of its own', async () => {
    const matcher = '(r.sub == p.sub || g(r.sub, "root")) && (r.obj == p.obj || p.obj == "*") && r.act == p.act'
    const { policy, report, findings } = await convert(
      { matcher },
      'p, ana, data1, read\np, ben, *, write\ng, eve, root\n',
    )
    expect([findings.slice(1), report.proof.different]).toEqual([[], 0])
    expect(policy.roles).toContainEqual({ key: 'ben', permissions: ['object:write'] })
    expect(policy.roles).toContainEqual({ key: 'root', permissions: ['object:write'] })
  })

  it('gives a role to everyone where it asks for no subject', async () => {
    const { policy, facts, report } = await convert(
      { request: 'obj, act', matcher: 'r.obj == p.obj && r.act == p.act' },
      'p, data1, read\n',
    )
    expect(report.exact).toBe(true)
    expect(policy.roles).toEqual([{ key: 'everyone', permissions: ['data1:read'], everybody: true }])
    expect(facts).toEqual([{ role_assignment: { user: '*', role: 'everyone', tenant: 'default' } }])
  })

  it.each([
    ['r.sub.Age > 18 && r.obj == p.obj && r.act == p.act', '`r.sub.Age > 18` has no equal'],
    ['!g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act', '`!g(r.sub, p.sub)` has no equal'],
    ['r.sub != p.sub && r.obj == p.obj && r.act == p.act', '`r.sub != p.sub` has no equal'],
    ['r.sub == p.sub && regexMatch(r.obj, p.obj) && r.act == p.act', '`regexMatch(r.obj, p.obj)` has no equal'],
    ['eval(p.sub) && r.obj == p.obj && r.act == p.act', '`eval(p.sub)` has no equal'],
    ['r.sub == p.sub && r.sub == r.obj && r.act == p.act', '`r.sub == r.obj` has no equal'],
    ['r.sub == p.sub && r.sub == "ana" && r.act == p.act', '`r.sub` is compared twice'],
    ['r.sub in (p.sub) && r.act == p.act', '`r.sub in (p.sub)` has no equal'],
  ])('that is %s gives nothing, and says why', async (matcher, reason) => {
    const { findings, policy } = await convert({ matcher }, 'p, ana, data1, read\n')
    expect(findings[0]).toBe(`model.conf:14 unsaid: ${reason}`)
    expect(policy.roles).toBe(undefined)
  })

  it('keeps the alternatives that can be said', async () => {
    const matcher = 'r.sub == p.sub && r.obj == p.obj && r.act == p.act || r.sub.Admin == true'
    const { findings, policy } = await convert({ matcher }, 'p, ana, data1, read\n')
    expect(findings).toEqual(['model.conf:14 unsaid: `r.sub.Admin == true` has no equal'])
    expect(policy.roles).toEqual([{ key: 'ana', permissions: ['data1:read'] }])
  })

  it.each([
    ['r.sub == p.sub && (r.obj == p.obj', 'a parenthesis of the matcher is not closed'],
    ['r.sub == p.sub) && r.obj == p.obj', 'the matcher closes a parenthesis that is not open'],
    ['r.sub == "ana && r.obj == p.obj', 'a quote of the matcher is not closed'],
    ['r.sub == p.sub && && r.obj == p.obj', 'the matcher has an operator without an operand'],
    [
      `${'('.repeat(40)}r.sub == p.sub${')'.repeat(40)}`,
      'the matcher has more than 32 parentheses inside of each other',
    ],
    [
      Array.from({ length: 7 }, () => '(r.sub == p.sub || r.obj == p.obj)').join(' && '),
      'the matcher has more than 64 alternatives',
    ],
  ])('that is %s is an error', async (matcher, message) => {
    const { problems } = await convertTexts(printModel({ matcher }), '')
    expect(problems.map((each) => [each.place.line, each.message])).toEqual([[14, message]])
  })
})

describe('rules that deny', () => {
  const denying = {
    columns: 'sub, obj, act, eft',
    effect: 'some(where (p.eft == allow)) && !some(where (p.eft == deny))',
  }

  it('take from others what they could deny, and nothing else', async () => {
    const rules =
      'p, admin, x, read, allow\np, admin, y, read, allow\np, ana, x, read, deny\np, ben, z, read, deny\ng, ana, admin\ng, ben, admin\n'
    const { findings, policy, report } = await convert(denying, rules)
    expect(findings.slice(1)).toEqual([
      'policy.csv:1 unsaid: `p, ana, x, read, deny` (line 3) denies a part of it, and Zerohop has no rule that denies',
      'policy.csv:4 note: no rule allows what it denies',
    ])
    expect(policy.roles).toContainEqual({ key: 'admin', permissions: ['y:read'] })
    expect(report.proof).toMatchObject({ wider: 0, different: 1 }) // ben may read x
  })

  it('let nothing through where a part of the matcher has no equal', async () => {
    const matcher = 'r.sub == p.sub && r.obj == p.obj && r.act == p.act || ipMatch(r.sub, p.sub)'
    const { findings, policy } = await convert(
      { ...denying, matcher },
      'p, ana, x, read, allow\np, ben, x, read, deny\n',
    )
    expect(findings[0]).toContain('model.conf:11 unsaid: rules deny, and by what has no equal')
    expect(policy.roles).toBe(undefined)
  })

  it('give nothing under an effect that looks at allow alone', async () => {
    const { findings, report } = await convert(
      { columns: 'sub, obj, act, eft' },
      'p, ana, x, read, deny\np, ana, y, read, allow\n',
    )
    expect(findings).toEqual(['policy.csv:1 note: the effect of the model looks at allow alone, so it gives nothing'])
    expect(report.exact).toBe(true)
  })
})

describe('rules', () => {
  it('are read as casbin reads them: quotes, comments, blank lines, commas in parentheses', async () => {
    const rules =
      '\n# p, eve, data1, read\n   \n  p ,"ana" , "da,ta" , read  \r\np, ben, f(a, b), read\n"p", "e ""x""", data1, read\nq, x\n'
    const { findings, policy, report } = await convert({}, rules)
    expect(findings).toEqual(['policy.csv:7 note: the model has no `q`, so it gives nothing'])
    expect(report.exact).toBe(true)
    expect(policy.roles?.map(({ key }) => key)).toEqual(['ana', 'ben', 'e--20--22x--22'])
    expect(report.proof.allowed).toBe(6)
  })

  it('may be rows of a database adapter', async () => {
    const folder = temporaryFolder('rows')
    writeFileSync(join(folder, 'model.conf'), printModel())
    const rows = [
      { id: 1, ptype: 'p', v0: 'admin', v1: 'data1', v2: 'read', v3: null, v4: '' },
      { id: 2, ptype: 'g', v0: 'ana', v1: 'admin' },
    ]
    writeFileSync(join(folder, 'rows.json'), JSON.stringify([...rows, ['p', 'ben', 'data2', 'write']], null, 1))
    const { report } = await convertFiles(folder, ['model.conf', 'rows.json'])
    expect(report).toMatchObject({ exact: true, proof: { different: 0, allowed: 4 } })
    const wrong = [...rows, { ptype: 'p', v0: 3 }, { ptype: 'p', v9: 'x' }, 7]
    writeFileSync(join(folder, 'rows.json'), JSON.stringify(wrong, null, 1))
    const { problems } = await convertFiles(folder, ['model.conf', 'rows.json'])
    expect(problems.map(({ place, message }) => [place.line, message])).toEqual([
      [17, 'a row has a value that is not text'],
      [21, 'a row has the unknown member `v9`'],
      [25, 'a row is an object with `ptype`, `v0`, `v1` …, or a list of texts'],
    ])
  })

  it.each([
    ['p, ana, data1\n', 1, 'a rule `p` has 3 values in the model, this one has 2'],
    ['p, ana, data1, read, deny\n', 1, 'a rule `p` has 3 values in the model, this one has 4'],
    ['\ng, ana\n', 2, 'a rule `g` has 2 values in the model, this one has 1'],
    ['p, "ana, data1, read\n', 1, 'a quote is not closed, or text follows it'],
    ['p, "ana" x, data1, read\n', 1, 'a quote is not closed, or text follows it'],
    ['p, f(a, data1, read\n', 1, 'a parenthesis is not closed'],
    ['p, a\u0007b, data1, read\n', 1, 'the line has control characters'],
    ['\ufeffp, ana, data1, read\n', 1, 'the file begins with a byte order mark, and casbin ignores that line'],
    ['p, ana, , read\n', 1, 'a name is empty'],
    [`p, ana, ${'é'.repeat(50)}, read\n`, 1, 'imported key is 400 bytes long, the limit is 256'],
  ])('that are %j are an error', async (rules, line, message) => {
    const { problems } = await convertTexts(printModel(), rules)
    expect(problems.map((each) => [each.place.line, each.message])).toEqual([[line, message]])
  })
})

describe('the model', () => {
  it.each([
    [
      '[request_definition]\nr = sub, obj, act\n',
      [
        [1, 'the section [policy_definition] with a definition `p = …` is missing'],
        [1, 'the section [policy_effect] with a definition `e = …` is missing'],
        [1, 'the section [matchers] with a definition `m = …` is missing'],
      ],
    ],
    [
      printModel().replace('[matchers]\n', '[matchers]\nx y\n'),
      [[14, 'a line is neither a section nor a definition such as `r = sub, obj, act`']],
    ],
    [
      printModel().replace('[matchers]', '[policy_effect]'),
      [
        [1, 'the section [matchers] with a definition `m = …` is missing'],
        [13, 'the section [policy_effect] stands here a second time'],
      ],
    ],
    [`r = sub, obj, act\n${printModel()}`, [[1, 'a definition stands before the first section']]],
    [printModel({ roles: 'g = _' }), [[8, '`g = _`: a role definition is `_, _` or `_, _, _`']]],
    [
      printModel({ effect: 'some(where (p.eft == deny))' }),
      [[11, 'casbin has no effect `some(where (p.eft == deny))`']],
    ],
    [
      printModel({ request: 'sub, obj, act, ip' }),
      [
        [
          2,
          'what the parts of `sub, obj, act, ip` are is known by these names: sub, dom, obj, act (user, domain, tenant, object, resource, action, method)',
        ],
      ],
    ],
  ])('that is wrong says where: %#', async (model, expected) => {
    const { problems } = await convertTexts(model, '')
    expect(problems.map((each) => [each.place.line, each.message])).toEqual(expected)
  })

  it('may have comments, definitions over several lines, and none of its own order', async () => {
    const parts = printModel().split('\n\n').reverse()
    const model = `# all\n${parts.join('\n')}`.replace('g(r.sub, p.sub) &&', 'g(r.sub, p.sub) && \\ # goes on\n  ')
    expect((await convertTexts(model, 'p, ana, data1, read\n')).report).toMatchObject({
      exact: true,
      proof: { allowed: 2 },
    })
  })
})

it('a missing package of an old engine is an error by name', async () => {
  await expect(loadPeer('zerohop-no-such-engine')).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    message:
      'the package `zerohop-no-such-engine` is not installed, and this needs it: npm install zerohop-no-such-engine',
  })
})

it('a sample has what is always asked, rises, stays within, and is the same for each seed', () => {
  const sample = [...sampleIndexes(1_000_000, 10, 500, 7)]
  expect(sample.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(sample.length).toBe(500)
  expect(sample.every((index, at) => at === 0 || index > sample[at - 1]!)).toBe(true)
  expect(sample.at(-1)).toBeLessThan(1_000_000)
  expect([...sampleIndexes(1_000_000, 10, 500, 7)]).toEqual(sample)
  expect([...sampleIndexes(1_000_000, 10, 500, 8)]).not.toEqual(sample)
  expect([...sampleIndexes(3, 1, 3, 1)]).toEqual([0, 1, 2])
})

describe('the module for the application', () => {
  let toQuestion: (...parts: string[]) => object
  beforeAll(async () => {
    const { folder } = await convert(DOMAINS, 'p, admin, a b, /data/1, read\ng, ana, admin, a b\n')
    const made = (await import(/* @vite-ignore */ String(pathToFileURL(join(folder, 'questions.mjs'))))) as {
      toQuestion: typeof toQuestion
    }
    toQuestion = made.toQuestion
  })

  it('asks what enforce asked', () => {
    expect(toQuestion('ana@x.org', 'a b', '/data/1', 'read')).toEqual({
      user: 'ana@x.org',
      action: 'read',
      resource: { type: '--2fdata--2f1', tenant: 'a--20b' },
    })
  })
})
