// The in-process API: every form of a question, over one image.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { type Decision, loadImage } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { give, HELLO } from './policies.ts'

const bytes = Image.build(ENVIRONMENT, makePosition(7), [...HELLO, give('zoe', 'viewer', 'acme')]).save()
const code = (code: string) => expect.objectContaining({ code })

describe('a check', () => {
  const pdp = loadImage(bytes)

  it('takes a type, an instance or the parts, and a key or a user with attributes', () => {
    const resources = ['hello', 'hello:plan', { type: 'hello' }, { type: 'hello', key: 'plan', tenant: 'default' }]
    const users = ['ana', { key: 'ana' }, { key: 'ana', attributes: { clearance: 3 } }]
    const answers = users.flatMap((user) =>
      resources.map((resource) => pdp.check(user, 'say', resource, { mfa: true })),
    )
    expect(answers).toEqual(answers.map(() => true))
  })

  it('[D2] is about the tenant that is sent, else about `default`', () => {
    expect(pdp.check('zoe', 'wave', 'hello')).toBe(false)
    expect(pdp.check('zoe', 'wave', { type: 'hello', tenant: 'acme' })).toBe(true)
    expect(pdp.check('zoe', 'wave', { type: 'hello', tenant: null })).toBe(false)
  })

  it('[D1] denies what is unknown, whatever it is', () => {
    const unknown = [
      pdp.check('nobody', 'say', 'hello'),
      pdp.check('ana', 'sing', 'hello'),
      pdp.check('ana', 'say', 'nothing'),
      pdp.check('ana', 'say', 'nothing:plan'),
      pdp.check('ana', 'say', { type: 'hello', tenant: 'nowhere' }),
      pdp.check('__proto__', 'constructor', 'toString'),
      pdp.check('', '', ''),
    ]
    expect(unknown).toEqual(unknown.map(() => false))
  })

  it('of something that is not a question throws INPUT_INVALID with the wrong part', () => {
    const ask = pdp.check.bind(pdp) as (...question: unknown[]) => boolean
    for (const none of [undefined, 5, {}, { key: null }, [null], { key: undefined, attributes: null }])
      expect(() => ask(none, 'say', 'hello')).toThrow(/^user must be a key, \{ key \}, or null/)
    expect(() => ask('ana', 5, 'hello')).toThrow(/^action must be/)
    expect(() => ask('ana', 'say', { key: 'plan' })).toThrow(/^resource must be/)
    expect(() => ask('ana', 'say', { type: 'hello', tenant: 5 })).toThrow(/^resource\.tenant must be/)
  })

  it('[D16] where no one is signed in has the user null, whose roles are those of everybody, and is told of as `*`', () => {
    const decisions: Decision[] = []
    const shared = Image.build(ENVIRONMENT, makePosition(7), [...HELLO, give('*', 'viewer')]).save()
    const open = loadImage(shared)
    const recording = loadImage(shared, { onDecision: (decision) => decisions.push(decision) })
    for (const each of [open, recording]) {
      expect(['say', 'wave'].map((action) => each.check(null, action, 'hello'))).toEqual([false, true])
      expect(each.check(null, 'wave', { type: 'hello', tenant: 'acme' })).toBe(false)
      expect(each.check(null, { key: 'wave' }, 'hello:plan', { mfa: true })).toBe(true)
      expect(each.bulkCheck([{ user: null, action: 'wave', resource: 'hello' }])).toEqual([true])
      expect(each.subject(null).can('wave', 'hello')).toBe(true)
      expect(each.permission('wave', 'hello').allows(null)).toBe(true)
      expect(each.permission('wave', 'hello').allows(null, { tenant: 'acme', key: 'plan' })).toBe(false)
    }
    expect(decisions.map(({ user, allow }) => [user, allow])).toEqual(
      [false, true, false, true, true, true, true, false].map((allow) => ['*', allow]),
    )
    for (const { user, action, resource, allow } of decisions)
      expect(open.check(user, action, { ...resource, key: resource.key ?? null })).toBe(allow)
    expect([open.knows(null), open.userTenants(null), open.userPermissions(null)]).toEqual([false, [], {}])
    expect(open.userPermissions(null, { tenants: ['default', 'acme'] })).toMatchObject({
      '__tenant:default': { roles: [], permissions: ['hello:wave'] },
    })
    expect(pdp.check(null, 'wave', 'hello')).toBe(false)
  })

  it('[D16] where no one is signed in says why in words', () => {
    const shared = loadImage(Image.build(ENVIRONMENT, makePosition(7), [...HELLO, give('*', 'viewer')]).save())
    const say = (action: string) => {
      const { user, tree } = shared.why(null, action, 'hello')
      return [user, tree.text, ...tree.children.map(({ text }) => text)]
    }
    expect(say('wave')).toEqual([
      '*',
      'whoever is not signed in can wave hello in tenant default',
      'everybody has role viewer in tenant default, which has hello:wave',
    ])
    expect(say('say')).toEqual([
      '*',
      'whoever is not signed in cannot say hello in tenant default',
      'no role that everyone has allows this',
    ])
  })

  it('is asked in bulk with the same answers', () => {
    const checks = [
      { user: 'ana', action: 'say', resource: 'hello' },
      { user: { key: 'ben' }, action: 'say', resource: { type: 'hello' } },
      { user: 'zoe', action: 'wave', resource: { type: 'hello', tenant: 'acme' } },
    ]
    expect(pdp.bulkCheck(checks)).toEqual([true, false, true])
    expect(pdp.bulkCheck([])).toEqual([])
  })

  it('explains itself with its revision and the role that allows', () => {
    const { allow, revision, because } = pdp.explain('ana', 'say', 'hello:plan')
    expect([allow, revision]).toEqual([true, 7])
    expect(because.map(({ role, permission }) => [role, permission])).toEqual([['admin', 'hello:say']])
    expect(pdp.explain('nobody', 'say', 'hello')).toMatchObject({ allow: false, code: 'user_not_synced' })
  })
})

describe('a subject', () => {
  it('answers as check does, for one user in one tenant', () => {
    const pdp = loadImage(bytes)
    const [ana, zoe] = [pdp.subject({ key: 'ana' }), pdp.subject('zoe', { tenant: 'acme' })]
    expect([ana.can('say', 'hello'), ana.can('say', 'hello:plan'), ana.can('sing', 'hello')]).toEqual([
      true,
      true,
      false,
    ])
    expect([zoe.can('wave', 'hello'), zoe.can('say', 'hello')]).toEqual([true, false])
    expect(pdp.subject('nobody').can('say', 'hello')).toBe(false)
    expect(() => pdp.subject({ key: 'ana', attributes: { clearance: 1 } })).toThrow(code('INPUT_INVALID'))
  })
})

describe('a permission', () => {
  it('answers as check does, for one action on one type', () => {
    const pdp = loadImage(bytes)
    const [say, wave] = [pdp.permission('say', 'hello'), pdp.permission('wave', 'hello')]
    expect([say.allows('ana'), say.allows({ key: 'ana' }), say.allows('nobody')]).toEqual([true, true, false])
    expect([say.allows('ana', { key: 'plan' }), say.allows('ana', { tenant: 'acme' })]).toEqual([true, false])
    expect([wave.allows('zoe', { tenant: 'acme' }), wave.allows('zoe', { tenant: null, key: null })]).toEqual([
      true,
      false,
    ])
    expect(pdp.permission('sing', 'hello').allows('ana')).toBe(false)
  })

  it('takes keys alone', () => {
    const pdp = loadImage(bytes)
    const say = pdp.permission('say', 'hello')
    const asks = [
      () => pdp.permission('say', 'hello:plan'),
      () => pdp.permission({ key: 'say' } as never, 'hello'),
      () => say.allows({ key: 'ana', attributes: { clearance: 1 } }),
      () => say.allows('ana', { attributes: { clearance: 1 } } as never),
      () => say.allows('ana', { relations: { parent: ['hello:plan'] } } as never),
    ]
    for (const ask of asks) expect(ask).toThrow(code('INPUT_INVALID'))
  })
})

describe('the permissions of a user', () => {
  const pdp = loadImage(bytes)

  it('are listed by tenant, with the roles', () => {
    expect(pdp.userPermissions('ana')).toEqual({
      '__tenant:default': {
        tenant: { key: 'default', attributes: {} },
        permissions: ['hello:say', 'hello:wave'],
        roles: ['admin'],
      },
    })
    expect(pdp.userPermissions('nobody')).toEqual({})
  })

  it('are filtered by tenant, by type and by resource', () => {
    const keys = (filter: Parameters<typeof pdp.userPermissions>[1]) => Object.keys(pdp.userPermissions('zoe', filter))
    expect(keys({ tenants: ['acme'] })).toEqual(['__tenant:acme'])
    expect(keys({ tenants: ['default'] })).toEqual([])
    expect(keys({ resourceTypes: ['__tenant'] })).toEqual(['__tenant:acme'])
    expect(keys({ resourceTypes: ['hello'] })).toEqual([])
    expect(keys({ resources: ['__tenant:acme'], tenants: null })).toEqual(['__tenant:acme'])
    expect(keys({ resources: ['hello:plan'] })).toEqual([])
  })
})

describe('a PDP over an image file', () => {
  it('tells every decision to onDecision, and none to nobody', () => {
    const decisions: Decision[] = []
    const pdp = loadImage(bytes, { onDecision: (decision) => decisions.push(decision) })
    pdp.check('ana', 'say', 'hello:plan')
    pdp.subject('ben').can('say', 'hello')
    pdp.permission('wave', 'hello').allows('ana', { key: 'plan' })
    pdp.bulkCheck([{ user: 'ben', action: 'wave', resource: 'hello' }])
    const about = (key: string | undefined) => ({ type: 'hello', key, tenant: 'default' })
    expect(decisions).toEqual([
      { user: 'ana', action: 'say', resource: about('plan'), allow: true, revision: 7 },
      { user: 'ben', action: 'say', resource: about(undefined), allow: false, revision: 7 },
      { user: 'ana', action: 'wave', resource: about('plan'), allow: true, revision: 7 },
      { user: 'ben', action: 'wave', resource: about(undefined), allow: true, revision: 7 },
    ])
  })

  it('has the revision of the image, and never gets another', async () => {
    const pdp = loadImage(bytes)
    expect(pdp.revision).toBe(7)
    await pdp.atLeast(7)
    await expect(pdp.atLeast(8)).rejects.toEqual(code('REVISION_TIMEOUT'))
  })

  it('throws CLOSED after close, in every form of a question', async () => {
    const pdp = loadImage(bytes)
    const [ana, say] = [pdp.subject('ana'), pdp.permission('say', 'hello')]
    await pdp.close()
    const questions = [
      () => pdp.check('ana', 'say', 'hello'),
      () => pdp.bulkCheck([]),
      () => pdp.explain('ana', 'say', 'hello'),
      () => pdp.userPermissions('ana'),
      () => pdp.take(),
      () => ana.can('say', 'hello'),
      () => say.allows('ana'),
    ]
    for (const question of questions) expect(question).toThrow(code('CLOSED'))
    expect([pdp.revision, pdp.environment, pdp.imageBytes, pdp.state.revision]).toEqual([
      undefined,
      undefined,
      0,
      undefined,
    ])
  })

  it('refuses a damaged image with the reason', () => {
    const damaged = Uint8Array.from(bytes)
    damaged[damaged.length - 1] = damaged[damaged.length - 1]! ^ 1
    expect(() => loadImage(damaged)).toThrow(code('IMAGE_DAMAGED'))
    expect(() => loadImage(bytes.subarray(0, 100))).toThrow(code('IMAGE_DAMAGED'))
  })

  it.each([undefined, null, 5, [1, 2], {}])('refuses what is not an image at all: %s', (image) => {
    expect(() => loadImage(image as never)).toThrow(code('INPUT_INVALID'))
  })
})
