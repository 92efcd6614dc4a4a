// The laws of the image over random histories. A failure prints the seed and the shrunk history; `npm run test:long`
// goes on for as long as one likes. seed.ts says which histories.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Explanation, Image } from '../../src/image/image.ts'
import { loadImage } from '../../src/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { bulkCheck, check } from '../reference/check.ts'
import { holdersFor } from '../reference/everybody.ts'
import { explain } from '../reference/explain.ts'
import { listPermissions } from '../reference/listing.ts'
import type { Policy } from '../reference/policy.ts'
import { heldBy } from '../reference/relations.ts'
import { askedAt, type Request, resolveTenant, sentAt } from '../reference/request.ts'
import { rolesIn } from '../reference/roles.ts'
import { deltaTo, ENVIRONMENT } from '../support/deltas.ts'
import { policyIn } from '../support/instants.ts'
import { tenantPermissionsIn } from '../support/listings.ts'
import { toParts } from '../support/parts.ts'
import { World } from '../support/world.ts'
import { findPool, type History, mixedHistories, numbers, untimedHistories } from './histories.ts'
import { ask, askedIn, Disagreement, type Play, play, runEdits, shuffled, Tally } from './laws.ts'
import { questions } from './questions.ts'
import { parameters } from './seed.ts'
import { definedAt, makeInstants } from './times.ts'
import { MIDNIGHT } from './values.ts'

const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })

const build = (image: Image, changes: Iterable<PolicyChange>) => Image.build(ENVIRONMENT, image.position, changes)

describe('the image and the definition', () => {
  it('agree in the debug build, whose every assertion and invariant holds after every revision', () => {
    fc.assert(
      fc.property(plays, (drawn) => {
        play(drawn, { checksPerRevision: 10, kernel: 'debug', each: (image) => image.verify() })
      }),
      parameters(38),
    )
  })

  it('agree on reasons and on what a user may do', () => {
    fc.assert(
      fc.property(plays, (drawn) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const pool = findPool(drawn.history)
        const when = makeInstants(world.policy, numbers(drawn.seed))
        for (const request of questions(world, pool, numbers(drawn.seed), 30)) {
          const [t] = when()
          const policy = policyIn(world.policy, t)
          const { user } = request
          const explained = askedIn(image, t, () => image.explain(...toParts(request)))
          const { rbac, rebac, abac, misses, matches, notes } = definedAt(world.policy, request, t, explain)
          expect([request, explained.code, explained.rebac, explained.abac]).toEqual([request, rbac, rebac, abac])
          expect([request, explained.misses, explained.notes]).toEqual([request, misses, notes])
          expect([request, explained.matches]).toEqual([request, matches])
          expectPath(explained, policy, request)
          expect(explained.allow).toBe(definedAt(world.policy, request, t, check))
          expect(explained.revision).toBe(image.revision)
          if (explained.code === 'allow' || explained.code === 'no_permission')
            expect(explained.roles).toEqual(rolesIn(policy, user, resolveTenant(policy, request)).sort())
        }
        for (const user of [...pool.users.slice(0, 5), 'nobody']) {
          for (const t of when()) {
            const sent = t === undefined ? {} : sentAt({}, t)
            const listed = askedIn(image, t, () => tenantPermissionsIn(image, user))
            expect(listed).toEqual(listPermissions(policyIn(world.policy, t), user, sent))
          }
        }
      }),
      parameters(20),
    )
  })
})

/**
 * The path over relations that explain gives leads from a role that was assigned over derivations to one on the asked
 * instance.
 */
function expectPath({ because }: Explanation, policy: Policy, { user, resource }: Request): void {
  const reason = because.find(({ source }) => source === 'rebac')
  if (reason === undefined) return
  const held = heldBy(policy, user)
  const steps = reason.path.map((step) => step.replace('#', '/'))
  expect(
    steps.filter((step) => !held.has(step) && !step.startsWith(`${resource.type}:${resource.key ?? '*'}/`)),
  ).toEqual([])
  expect(steps.at(-1)!.startsWith(`${resource.type}:${resource.key ?? '*'}/`)).toBe(true)
  const holders = holdersFor(user)
  const assigned = [...policy.role_assignment.values()].filter((each) => holders.includes(each.user))
  expect(assigned.map((each) => `${each.resource_instance}/${each.role}`)).toContain(steps[0])
  expect(reason.path[0]).toBe(`${reason.resource_instance}#${reason.role}`)
}

describe('where an image comes from does not matter', () => {
  it('apply(delta) is build(next): the same hash, the same contents, the same answers', () => {
    fc.assert(
      fc.property(plays, (drawn) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const built = build(image, shuffled(world.contents(), numbers(drawn.seed)))
        expect([...image.contents()]).toEqual([...built.contents()])
        expect(image.hash()).toBe(built.hash())
        const when = makeInstants(world.policy, numbers(drawn.seed))
        for (const request of questions(world, findPool(drawn.history), numbers(drawn.seed), 50)) {
          for (const t of when()) expect(ask(image, request, t)).toBe(ask(built, request, t))
        }
      }),
      parameters(20),
    )
  })

  it('compaction is the canonical build, byte for byte, and gives garbage back', () => {
    fc.assert(
      fc.property(plays, (drawn) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const compacted = image.compact()
        expect(Buffer.compare(compacted.save(), build(image, world.contents()).save())).toBe(0)
        expect(compacted.position).toEqual(image.position)
        expect(Buffer.compare(compacted.compact().save(), compacted.save())).toBe(0)
        const { bytes, garbageBytes, ...counts } = compacted.stats()
        expect(image.stats()).toMatchObject(counts)
        // Grown directories leave a little behind; far from the third at which an image is compacted, or it would be
        // for ever.
        expect(garbageBytes * 6).toBeLessThan(bytes)
        compacted.verify()
      }),
      parameters(15),
    )
  })

  it('the way to a state leaves no trace in its hash', () => {
    fc.assert(
      fc.property(plays, mixedHistories, (drawn, other) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        // Another history first, then everything of it deleted and what this one ends with written.
        const detour = play({ history: other, seed: drawn.seed }, { checksPerRevision: 0 })
        const deletes = detour.world.contents().map(({ kind, key }) => ({ op: 'delete', kind, key }) as const)
        const changes = [...deletes.toReversed(), ...world.contents()]
        const { revision, chain } = detour.image.position
        detour.image.apply({
          environment: ENVIRONMENT,
          from: revision,
          to: revision + 1,
          previous: chain,
          chain: 'ab'.repeat(32),
          changes,
        })
        expect([...detour.image.contents()]).toEqual([...image.contents()])
        expect(detour.image.hash()).toBe(image.hash())
        detour.image.verify()
      }),
      parameters(15),
    )
  })

  it('an image goes on after compaction, saving and loading as if nothing had been', () => {
    fc.assert(
      fc.property(plays, fc.nat(2), (drawn, how) => {
        const { revisions } = drawn.history
        const half: History = { ...drawn.history, revisions: revisions.slice(0, Math.ceil(revisions.length / 2)) }
        const { image } = play({ ...drawn, history: half }, { checksPerRevision: 0 })
        const loaded = Image.load(image.save())
        expect(Buffer.compare(loaded.save(), image.save())).toBe(0)
        expect(loaded.position).toEqual(image.position)
        expect([...loaded.contents()]).toEqual([...image.contents()])
        // The rest of the history, on the image that went through one of the three ways.
        const start = how === 0 ? loaded : how === 1 ? image.compact() : Image.load(image.compact().save())
        const whole = play(drawn, { checksPerRevision: 20, from: { image: start, revisions: half.revisions.length } })
        whole.image.verify()
      }),
      parameters(15),
    )
  })
})

describe('a delta that cannot be applied', () => {
  const bad: PolicyChange[] = [
    {
      op: 'put',
      kind: 'role_assignment',
      key: 'no-one/r/default',
      value: { user: 'no-one', role: 'r', tenant: 'default' },
    },
    { op: 'put', kind: 'role', key: 'r', value: { permissions: ['nothing:read'], extends: [] } },
    { op: 'put', kind: 'role', key: 'r', value: { permissions: [], extends: ['r'] } },
    { op: 'put', kind: 'role', key: 'r', value: { permissions: [], extends: ['no-role'] } },
    { op: 'put', kind: 'user', key: 'k'.repeat(257), value: {} },
    { op: 'delete', kind: 'role_assignment', key: 'no-assignment' },
  ]

  it('leaves no trace, whatever else is in it and wherever in a history it comes', () => {
    fc.assert(
      fc.property(plays, fc.constantFrom(...bad), fc.nat(), (drawn, wrong, place) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const next = numbers(drawn.seed)
        const fork = new World(world)
        const good = runEdits(fork, drawn.history, drawn.history.revisions.flat(), next)
        const changes = good.toSpliced(place % (good.length + 1), 0, wrong)
        const last = changes.filter(({ kind, key }) => kind === wrong.kind && key === wrong.key).at(-1)
        if (last !== wrong) return // a later change of the same object made it good
        const before = image.save()
        expect(() => image.apply(deltaTo(image.revision + 1, changes))).toThrow(/cannot be applied/)
        expect(Buffer.compare(image.save(), before)).toBe(0)
        image.verify()
        image.apply(deltaTo(image.revision + 1, good))
        expect(image.hash()).toBe(build(image, fork.contents()).hash())
      }),
      parameters(25),
    )
  })
})

/** A key, or a key with attributes when some are sent. */
const parts = (key: string, attributes: JsonObject | undefined) =>
  attributes === undefined ? key : { key, attributes }

describe('the library', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('[D12] gives one answer to every form of a question', () => {
    const clock = vi.spyOn(Date, 'now')
    fc.assert(
      fc.property(plays, (drawn) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const pdp = loadImage(image.save())
        const asked = [...questions(world, findPool(drawn.history), numbers(drawn.seed), 40)]
        const when = makeInstants(world.policy, numbers(drawn.seed))
        let now = MIDNIGHT
        const turn = () => {
          now = when()[0] ?? MIDNIGHT
          clock.mockReturnValue(now)
        }
        for (const { user: userKey, action: actionKey, resource: about, sent = {} } of asked) {
          turn()
          const { type, key, tenant } = about
          const { context } = sent
          const [user, action] = [parts(userKey, sent.user), parts(actionKey, sent.action)]
          const resource = sent.resource === undefined ? about : { ...about, attributes: sent.resource }
          const request = { user: userKey, action: actionKey, resource: about, sent }
          const expected = definedAt(world.policy, request, now, check)
          const forms: [string, boolean][] = [
            ['parts', pdp.check(user, action, resource, context)],
            ['explain', pdp.explain(user, action, resource, context).allow],
            ['bulk', pdp.bulkCheck([{ user, action, resource, ...(context === undefined ? {} : { context }) }])[0]!],
          ]
          if (!type.includes(':') && Object.keys(sent).length === 0 && about.relations === undefined) {
            const name = key === undefined ? type : `${type}:${key}`
            const subject = pdp.subject(user, tenant === undefined ? {} : { tenant })
            forms.push(['subject', subject.can(actionKey, name)])
            // A string is `type` or `type:key`, with no tenant sent.
            if (tenant === undefined) forms.push(['string', pdp.check(user, action, name)])
          }
          expect([user, action, resource, forms]).toEqual([
            user,
            action,
            resource,
            forms.map(([form]) => [form, expected]),
          ])
        }
        turn()
        const plain = asked.map(({ user, action, resource }) => ({ user, action, resource }))
        const timed = plain.map((request) => askedAt(request, now))
        expect(pdp.bulkCheck(plain)).toEqual(bulkCheck(policyIn(world.policy, now), timed))
        expect(pdp.revision).toBe(image.revision)
      }),
      parameters(20),
    )
  })
})

describe('canaries: a wrong definition is caught within 10,000 questions', () => {
  const wrong: Record<string, (policy: Policy, request: Request) => boolean> = {
    'roles of another tenant count': (policy, request) =>
      check(policy, request) || check(policy, { ...request, resource: { ...request.resource, tenant: 'acme' } }),
    'extends is ignored': (policy, request) => {
      const permission = `${request.resource.type}:${request.action}`
      const roles = rolesIn(policy, request.user, resolveTenant(policy, request))
      return check(policy, request) && roles.some((role) => policy.role.get(role)!.permissions.includes(permission))
    },
    'the last role decides alone': (policy, request) => {
      const last = rolesIn(policy, request.user, resolveTenant(policy, request)).at(-1)
      if (last === undefined) return false
      const others = new Map([...policy.role_assignment].filter(([, each]) => each.role === last))
      return check({ ...policy, role_assignment: others }, request)
    },
    'nothing is derived': (policy, request) => check({ ...policy, relationship_tuple: new Map() }, request),
    'direct roles switch nothing off': (policy, request) => {
      const off = { no_direct_roles_on_object: false }
      const roles = [...policy.resource_role].map(([key, role]) => {
        const rules = role.granted_to?.users_with_role.map((rule) => ({ ...rule, when: off }))
        return [
          key,
          rules === undefined ? role : { ...role, granted_to: { when: off, users_with_role: rules } },
        ] as const
      })
      return check({ ...policy, resource_role: new Map(roles) }, request)
    },
    'instances are in every tenant': (policy, request) => {
      const tenant = resolveTenant(policy, request)
      const instances = [...policy.resource_instance].map(([key, value]) => [key, { ...value, tenant }] as const)
      return check({ ...policy, resource_instance: new Map(instances) }, request)
    },
    'keys fold case': (policy, request) => check(policy, { ...request, user: request.user.toLowerCase() }),
    'deny all': () => false,
  }

  const untimed = fc.record({ history: untimedHistories, seed: fc.nat() })
  const histories = fc.sample(untimed, { seed: 1, numRuns: 200 })

  it.each(Object.entries(wrong))('%s', (_, definition) => {
    const tally = new Tally()
    const caught = () => {
      for (const drawn of histories) {
        if (tally.checks > 10_000) return
        play(drawn, { checksPerRevision: 40, definition, tally })
      }
    }
    expect(caught).toThrow(Disagreement)
    expect(tally.checks).toBeLessThanOrEqual(10_000)
  })
})
