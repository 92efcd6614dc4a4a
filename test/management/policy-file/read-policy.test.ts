// Files with any content: reading never throws, every problem has a place in the files, the bounds hold, and a file has
// errors exactly when it would be refused.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { importBundle } from '../../../src/management/plan/import.ts'
import { countingMint, emptyEnvironment } from '../../../src/management/policy-file/empty-environment.ts'
import { readPolicy } from '../../../src/management/policy-file/read-policy.ts'
import {
  POLICY_FILE_BYTES_MAX,
  POLICY_FILES_BYTES_MAX,
  POLICY_PROBLEMS_MAX,
  POLICY_RETRIES_MAX,
} from '../../../src/model/limits.ts'
import { parameters } from '../../property/seed.ts'
import { OTHERS, placesOf, withAt } from '../../support/other-values.ts'

const POLICY: object = JSON.parse(readFileSync(new URL('../bundle.json', import.meta.url), 'utf8'))
const TEXT = stringify(POLICY)

const read = (text: string, name = 'policy.yaml') => readPolicy([{ name, text }])
const listErrors = (text: string, name?: string): string[] =>
  read(text, name).problems.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []))

describe('a policy file', () => {
  it('may leave a block empty that need not say anything', () => {
    const text = `zerohop: 2
resources:
  - key: note
    actions: { read: , write: ~ }
    action_groups: { all: }
    roles:
      reader:
roles: [{ key: a, permissions: ['note:read', 'note:write'] }]
`
    const { policy, problems } = read(text)
    expect(problems).toEqual([])
    expect(policy.resources).toEqual([
      { key: 'note', actions: { read: {}, write: {} }, action_groups: { all: {} }, roles: { reader: {} } },
    ])
    importBundle(emptyEnvironment(countingMint()), { bundle: JSON.parse(JSON.stringify(parse(text))) }, countingMint())
    expect(listErrors('zerohop: 2\nresources: [{ key: note, attributes: { owner: } }]\n')).toEqual([
      'expected a map, found nothing',
    ])
  })

  it('names a role that a condition set asks for, by its name or by one that is known with the question', () => {
    const roles = (conditions: string) =>
      read(`zerohop: 2
resources: [{ key: note, actions: { read: {} }, attributes: { role: { type: string } } }]
roles: [{ key: asked }, { key: other }]
condition_sets: [{ key: s, type: userset, conditions: ${conditions} }]
set_rules: [{ user_set: s, permission: 'note:read', resource_set: note }]
`).problems.flatMap(({ message }) => /^role `(.*)` grants nothing/.exec(message)?.[1] ?? [])
    expect(roles('{}')).toEqual(['asked', 'other'])
    for (const test of ['array_contains: asked', 'array_intersect: [asked]', 'not: { array_contains: asked }'])
      expect(roles(`{ user.roles: { ${test} } }`)).toEqual(['other'])
    expect(roles('{ user.roles: { array_contains: { ref: user.team } } }')).toEqual([])
  })

  it('[D15] warns of an end after which a condition may be true, at that end', () => {
    const ends = (conditions: string, assignment: string, parent = '{}') =>
      read(`zerohop: 2
resources: [{ key: doc, roles: { guest: {} } }]
roles: [{ key: guest }]
condition_sets:
  - { key: up, type: userset, conditions: ${parent} }
  - { key: s, type: userset, parent: up, conditions: ${conditions} }
users: [{ key: ana }]
role_assignments:
  - { user: ana, role: guest, tenant: acme, ${assignment} }
`).problems.flatMap(({ message, place }) => (message.startsWith('when role') ? [[message, place?.line]] : []))
    const until = 'valid_until: "2100-01-01T00:00:00Z"'
    const may = (list: string) => `when role \`guest\` ends, condition set \`s\` may be true: it tests \`user.${list}\``
    const noGuest = '{ not: { user.roles: { array_contains: guest } } }'
    expect(ends(noGuest, until)).toEqual([[may('roles'), 9]])
    expect(ends('{ not: { user.tenants: { array_contains: acme } } }', until)).toEqual([[may('tenants'), 9]])
    expect(ends(noGuest, '')).toEqual([])
    expect(ends(noGuest, `${until}, resource_instance: "doc:one"`)).toEqual([])
    // a role on an instance is a tie to its tenant, too
    const noAcme = '{ not: { user.tenants: { array_contains: acme } } }'
    expect(ends(noAcme, `${until}, resource_instance: "doc:one"`)).toEqual([[may('tenants'), 9]])
    expect(ends('{ user.roles: { array_contains: guest } }', until)).toEqual([])
    expect(ends('{ not: { user.roles: { array_contains: other } } }', until)).toEqual([])
  })

  it('[D15] warns of the end of the last direct role that keeps a derived one away', () => {
    const ends = (...assignments: string[]) =>
      read(`zerohop: 2
resources:
  - { key: team, roles: { lead: {} } }
  - key: page
    relations: { team: { subject_resource: team } }
    roles:
      guest: {}
      editor: {}
      owner:
        granted_to:
          when: { no_direct_roles_on_object: true }
          users_with_role: [{ role: lead, on_resource: team, linked_by_relation: team }]
users: [{ key: ana }]
role_assignments:
${assignments.map((each) => `  - { user: ana, tenant: acme, ${each} }`).join('\n')}
`).problems.flatMap(({ message, place }) => (message.startsWith('when role') ? [[message, place?.line]] : []))
    const until = (day: number) => `valid_until: "2100-01-0${day}T00:00:00Z"`
    const guest = (rest: string) => `role: guest, resource_instance: "page:p", ${rest}`
    const editor = (rest: string) => `role: editor, resource_instance: "page:p", ${rest}`
    const derived =
      'role `page#owner` may be derived: it is for users without a direct role on the object (`no_direct_roles_on_object`)'
    expect(ends(guest(until(2)))).toEqual([[`when role \`guest\` ends, ${derived}`, 15]])
    expect(ends(guest(until(2)), editor(''))).toEqual([])
    expect(ends(guest(until(2)), editor(until(3)))).toEqual([[`when role \`editor\` ends, ${derived}`, 16]])
    // the other one begins only later
    expect(ends(guest(until(2)), editor(until(3).replace('until', 'from')))).toHaveLength(1)
    expect(ends(guest(until(2)), `role: editor, resource_instance: "page:q"`)).toHaveLength(1)
    expect(ends(`role: lead, resource_instance: "team:t", ${until(2)}`)).toEqual([])
  })

  it('names an assignment that stands twice by what it connects, not by its times', () => {
    const both = ['2100-01-01T00:00:00Z', '2101-01-01T00:00:00Z'].map(
      (until) => `{ user: ana, role: admin, tenant: acme, valid_until: "${until}", ticket: OPS-1 }`,
    )
    expect(listErrors(`zerohop: 2\nroles: [{ key: admin }]\nrole_assignments: [${both}]\n`)).toEqual([
      expect.stringContaining('`ana admin acme` is defined twice'),
    ])
  })

  it('of version 1 is read as one of version 2', () => {
    const old = {
      zerohop: 1,
      resources: [{ key: 'note', actions: { read: {} }, relations: { in: { subject_resource: 'note' } } }],
      condition_sets: [
        { key: 'all', type: 'resourceset', resource_id: 'note', conditions: {} },
        { key: 'some', type: 'resourceset', resource_id: 'note', parent_id: 'all', conditions: {} },
      ],
      set_rules: [{ user_set: '__autogen_reader', permission: 'note:read', resource_set: 'some' }],
      roles: [{ key: 'reader' }],
    }
    const { policy, problems } = read(JSON.stringify(old))
    expect(problems).toEqual([])
    expect(policy).toEqual({
      ...old,
      zerohop: 2,
      condition_sets: [
        { key: 'all', type: 'resourceset', resource: 'note', conditions: {} },
        { key: 'some', type: 'resourceset', resource: 'note', parent: 'all', conditions: {} },
      ],
    })
  })

  it('finds the place of every part, whichever file it is in', () => {
    const more = { name: 'more.yaml', text: 'zerohop: 2\nroles:\n  - key: more\n    extends:\n      - admin\n' }
    const { placeOf } = readPolicy([{ name: 'policy.yaml', text: 'zerohop: 2\nroles:\n  - key: admin\n' }, more])
    expect(placeOf(['roles', 1, 'extends', 0])).toEqual({ file: 'more.yaml', line: 5, column: 9, length: 5 })
    expect(placeOf(['body', 'roles', 0, 'key'])).toMatchObject({ file: 'policy.yaml', line: 3, column: 10 })
  })

  it('is not judged by what it does not hold', () => {
    const assigned = 'role_assignments: [{ user: ana, role: admin, tenant: acme }]\nroles: [{ key: admin }]\n'
    expect(listErrors(`zerohop: 2\n${assigned}`)).toEqual([])
    expect(listErrors(`zerohop: 2\nusers: []\n${assigned}`)).toEqual(['user `ana` does not exist'])
    const role = 'roles: [{ key: admin, permissions: [other:read] }]\n'
    expect(listErrors(`zerohop: 2\n${role}`)).toEqual(['resource type `other` does not exist'])
    expect(listErrors(`zerohop: 2\nmanages: [{ kind: role }]\n${role}`)).toEqual([])
    expect(listErrors(`zerohop: 2\nmanages: [{ kind: role }, { kind: resource, keys: ["own-*"] }]\n${role}`)).toEqual(
      [],
    )
    expect(listErrors(`zerohop: 2\nmanages: [{ kind: role }, { kind: resource, keys: ["o*er"] }]\n${role}`)).toEqual([
      'resource type `other` does not exist',
    ])
  })

  it('has errors exactly when it would be refused', () => {
    const differing: unknown[] = []
    let [refused, at] = [0, 0]
    for (const place of placesOf(POLICY)) {
      for (const other of OTHERS) {
        at++
        if (at % 31 !== 0 || (typeof other === 'number' && !Number.isFinite(other))) continue
        const text = JSON.stringify(withAt(POLICY, place, other))
        const errors = listErrors(text, 'policy.json')
        const isRefused = refusal(JSON.parse(text))
        if (isRefused !== undefined) refused++
        if ((isRefused !== undefined) !== errors.length > 0) differing.push([place.join('.'), other, isRefused, errors])
      }
    }
    expect(differing).toEqual([])
    expect(refused).toBeGreaterThan(20)
  })

  it('of any text is read without a throw, and every problem has a place in it', () => {
    const pieces = [
      '\t',
      ': ',
      '- ',
      '\n',
      '{',
      ']',
      '"',
      '*a',
      '&a ',
      '<<: ',
      '#',
      '\r',
      '|',
      '\u0000',
      '😀',
      '---\n',
      '? ',
    ]
    const edits = fc.array(fc.tuple(fc.nat(TEXT.length), fc.nat(30), fc.constantFrom(...pieces)), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(edits, (changes) => {
        const text = changes.reduce(
          (now, [at, length, piece]) => now.slice(0, at) + piece + now.slice(at + length),
          TEXT,
        )
        const lines = text.split('\n').map((line) => line.length)
        for (const { place } of read(text).problems) {
          expect(place.line).toBeLessThanOrEqual(lines.length)
          expect(place.column - 1).toBeLessThanOrEqual(lines[place.line - 1] ?? 0)
        }
      }),
      parameters(20),
    )
  })
})

/** What importing the value into an empty environment is refused with; undefined when it is applied. */
function refusal(bundle: unknown): string | undefined {
  const mint = countingMint()
  try {
    importBundle(emptyEnvironment(mint), { bundle }, mint)
    return undefined
  } catch (error) {
    return String(error)
  }
}

describe('the bounds of policy files', () => {
  const large = (bytes: number) => `zerohop: 2\n#${'x'.repeat(bytes - 12)}`

  it('hold for one file', () => {
    expect(listErrors(large(POLICY_FILE_BYTES_MAX))).toEqual([])
    expect(listErrors(large(POLICY_FILE_BYTES_MAX + 1))).toEqual([
      `the file is larger than ${POLICY_FILE_BYTES_MAX} bytes: split it into several files`,
    ])
  })

  it('hold for all files together', () => {
    const full = { name: 'full.yaml', text: large(POLICY_FILE_BYTES_MAX) }
    const files = Array.from({ length: POLICY_FILES_BYTES_MAX / POLICY_FILE_BYTES_MAX }, () => full)
    expect(readPolicy(files).problems).toEqual([])
    expect(readPolicy([...files, { name: 'last.yaml', text: 'x' }]).problems).toMatchObject([
      { message: expect.stringContaining('together'), place: { file: 'last.yaml', line: 1 } },
    ])
  })

  it('hold for problems, and for those of one object', () => {
    const wrong = Array.from({ length: POLICY_PROBLEMS_MAX + 1 }, (_, at) => ({ key: `r${at}`, nam: 'x' }))
    expect(read(JSON.stringify({ zerohop: 2, roles: wrong })).problems).toHaveLength(POLICY_PROBLEMS_MAX)
    const permissions = Array.from({ length: POLICY_RETRIES_MAX + 5 }, (_, at) => `none:${at}`)
    const role = JSON.stringify({ zerohop: 2, roles: [{ key: 'admin', permissions }] }, null, 1)
    expect(read(role).problems).toHaveLength(POLICY_RETRIES_MAX)
  })
})
