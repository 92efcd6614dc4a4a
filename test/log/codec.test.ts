// The frames of the feed: what goes in comes out, however the stream is cut, and nothing damaged gets through.
import fc from 'fast-check'
import { Packr, unpackMultiple } from 'msgpackr'
import { describe, expect, it } from 'vitest'
import {
  encodeFrame,
  FEED_VERSION,
  FRAME_HEADER_BYTES,
  type Frame,
  FrameDecoder,
  packDelta,
  packDeltaSlowly,
  unpackDelta,
} from '../../src/log/codec.ts'
import type { Delta } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { DELTA_IN_TURN_MAX, FRAME_BYTES_MAX } from '../../src/model/limits.ts'

const environment = 'e'.repeat(32)
const delta: Delta = {
  environment,
  from: 6,
  to: 7,
  previous: 'a'.repeat(64),
  chain: 'b'.repeat(64),
  changes: [
    { op: 'put', kind: 'resource', key: 'hello', value: { actions: ['say', 'wave'] } },
    { op: 'put', kind: 'role', key: '__proto__', value: { permissions: ['hello:say'], extends: ['constructor'] } },
    { op: 'put', kind: 'user', key: 'auth0|élan', value: {} },
    { op: 'put', kind: 'tenant', key: 'default', value: {} },
    {
      op: 'put',
      kind: 'role_assignment',
      key: 'ana/admin/default',
      value: { user: 'ana', role: 'admin', tenant: 'default' },
    },
    { op: 'delete', kind: 'role_assignment', key: 'ben/viewer/default' },
    {
      op: 'put',
      kind: 'role_assignment',
      key: 'ana/reader/default/document:plan',
      value: { user: 'ana', role: 'reader', tenant: 'default', resource_instance: 'document:plan' },
    },
    {
      op: 'put',
      kind: 'role_assignment',
      key: '*/reader/default',
      value: { user: '*', role: 'reader', tenant: 'default' },
    },
    {
      op: 'put',
      kind: 'role_assignment',
      key: '*/reader/default/document:plan',
      value: { user: '*', role: 'reader', tenant: 'default', resource_instance: 'document:plan', valid_until: 7 },
    },
    { op: 'delete', kind: 'role_assignment', key: '*/reader/acme' },
    { op: 'put', kind: 'membership', key: 'acme/ana', value: { user: 'ana', tenant: 'acme' } },
    {
      op: 'put',
      kind: 'user',
      key: 'ana',
      value: { attributes: JSON.parse('{"__proto__":{"a":[1.5,-1e300,"é",null]}}') },
    },
    { op: 'put', kind: 'resource', key: 'lab', value: { actions: [], attributes: { opened: 'time' } } },
    { op: 'put', kind: 'resource_instance', key: 'lab:1', value: { tenant: 'acme', attributes: { level: 3 } } },
    { op: 'put', kind: 'resource_instance', key: 'lab:2', value: { tenant: 'acme' } },
    {
      op: 'put',
      kind: 'relationship_tuple',
      key: 'lab:1/parent/lab:2',
      value: { subject: 'lab:1', relation: 'parent', object: 'lab:2' },
    },
    {
      op: 'put',
      kind: 'resource_role',
      key: 'lab/owner',
      value: { resource: 'lab', role: 'owner', permissions: ['lab:open'], extends: ['guest'], granted_to: null },
    },
    {
      op: 'put',
      kind: 'resource_role',
      key: 'lab/guest',
      value: {
        resource: 'lab',
        role: 'guest',
        permissions: [],
        extends: [],
        granted_to: {
          when: { no_direct_roles_on_object: true },
          users_with_role: [
            {
              role: 'owner',
              on_resource: 'lab',
              linked_by_relation: 'parent',
              when: { no_direct_roles_on_object: false },
            },
          ],
        },
      },
    },
    {
      op: 'put',
      kind: 'condition_set',
      key: 'open_labs',
      value: { type: 'resourceset', resource: 'lab', conditions: { 'resource.level': { equals: 3 } }, parent: null },
    },
    {
      op: 'put',
      kind: 'set_rule',
      key: 'staff/lab:open/open_labs',
      value: { user_set: 'staff', permission: 'lab:open', resource_set: 'open_labs' },
    },
    {
      op: 'put',
      kind: 'set_rule',
      key: '__autogen_lab#owner/lab:open/open_labs',
      value: { user_set: '__autogen_lab#owner', permission: 'lab:open', resource_set: 'open_labs' },
    },
    {
      op: 'put',
      kind: 'proxy_config',
      key: 'gateway',
      value: {
        rules: [
          {
            url: 'https://labs/{lab}',
            url_type: null,
            http_method: 'get',
            resource: 'lab',
            action: 'open',
            priority: 3,
          },
          { url: '/.*', url_type: 'regex', http_method: 'put', resource: 'lab', action: null, priority: null },
        ],
      },
    },
    { op: 'delete', kind: 'proxy_config', key: 'old' },
    { op: 'delete', kind: 'relationship_tuple', key: 'lab:2/parent/lab:1' },
    { op: 'delete', kind: 'resource', key: 'old' },
  ],
}
const frames: Frame[] = [
  { type: 'delta', delta },
  { type: 'heartbeat', revision: 7 },
  { type: 'heartbeat', revision: 2 ** 40 },
  { type: 'end', code: 'ENVIRONMENT_DELETED' },
]
const stream = Buffer.concat(frames.map((frame) => encodeFrame(frame)))

function decode(chunks: Uint8Array[]): Frame[] {
  const decoder = new FrameDecoder()
  return chunks.flatMap((chunk) => decoder.push(chunk))
}

function refusal(bytes: Uint8Array): string {
  try {
    const read = decode([bytes])
    return `read ${read.length}`
  } catch (error) {
    return isZerohopError(error, 'FRAME_INVALID') ? String(error.details.reason) : `another error: ${error}`
  }
}

function altered(at: number, value: number): Uint8Array {
  const frame = encodeFrame({ type: 'heartbeat', revision: 7 })
  frame[at] = value
  return frame
}

describe('frames', () => {
  it('come out as they went in, with keys such as __proto__', () => {
    expect(decode([stream])).toEqual(frames)
  })

  it('come out the same however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: stream.length }), { maxLength: 30 }), (cuts) => {
        const ends = [...cuts, stream.length].sort((a, b) => a - b)
        const chunks = ends.map((end, i) => stream.subarray(ends[i - 1] ?? 0, end))
        expect(decode(chunks)).toEqual(frames)
      }),
    )
  })

  it('are held back until they are complete', () => {
    const decoder = new FrameDecoder()
    expect(decoder.push(stream.subarray(0, FRAME_HEADER_BYTES + 3))).toEqual([])
    expect(decoder.waiting).toBe(FRAME_HEADER_BYTES + 3)
  })

  it('of a wrong magic, version, type, length or checksum are refused with the reason', () => {
    expect(refusal(altered(0, 0))).toContain('magic')
    expect(refusal(altered(2, FEED_VERSION + 1))).toContain(`version ${FEED_VERSION + 1}`)
    expect(refusal(altered(3, 5))).toContain('type 5')
    expect(refusal(altered(7, 0xff))).toContain(`the limit is ${FRAME_BYTES_MAX}`)
    expect(refusal(altered(FRAME_HEADER_BYTES, 1))).toContain('checksum')
  })

  it('with any one bit turned over are refused or wait for more bytes, never read', () => {
    const frame = encodeFrame({ type: 'delta', delta })
    for (let bit = 0; bit < frame.length * 8; bit++) {
      const turned = Uint8Array.from(frame)
      turned[bit >> 3] = turned[bit >> 3]! ^ (1 << (bit & 7))
      expect(refusal(turned)).not.toBe('read 1')
    }
  })

  it('of a delta above the size for one turn come out packed, and unpack to what went in', async () => {
    const changes = Array.from({ length: DELTA_IN_TURN_MAX + 1 }, (_, i) => ({
      op: 'put' as const,
      kind: 'user' as const,
      key: `u${i}`,
      value: {},
    }))
    const large = { ...delta, changes }
    const [frame] = decode([encodeFrame({ type: 'delta', delta: large })])
    if (frame?.type !== 'packed') throw new Error('not packed')
    expect(unpackDelta(frame.delta)).toEqual(large)
    expect(await packDeltaSlowly(large, async () => undefined)).toEqual(packDelta(large))
    expect(() => unpackDelta({ ...frame.delta, count: changes.length - 1 })).toThrow('announces')
  })

  it('of a rule for a role on instances have a code of their own, which an older reader refuses', () => {
    const rules = delta.changes.filter(({ kind }) => kind === 'set_rule')
    const { packed } = packDelta({ ...delta, changes: rules })
    expect([...unpackMultiple(packed)].flat()).toEqual([
      [11, 'staff', 'lab:open', 'open_labs'],
      [17, '__autogen_lab#owner', 'lab:open', 'open_labs'],
    ])
  })

  it('of a role for everybody have a code of their own, with times or without, which an older reader refuses', () => {
    const ofEverybody = delta.changes.filter(({ key }) => key.startsWith('*'))
    const { packed } = packDelta({ ...delta, changes: ofEverybody })
    expect([...unpackMultiple(packed)].flat()).toEqual([
      [16, '*', 'reader', 'default'],
      [16, '*', 'reader', 'default', 'document:plan', null, 7],
      [-5, '*/reader/acme'],
    ])
  })

  it.each([
    [16, 'ana', 'reader', 'default'],
    [5, '*', 'reader', 'default'],
    [13, '*', 'reader', 'default', null, null, 7],
  ])('of a role that has the code %i and the user %s are refused', (...fields) => {
    const packed = new Packr().pack([fields])
    expect(() => unpackDelta({ ...packDelta(delta), packed, count: 1 })).toThrow('has another user')
  })

  it('of a delta without changes come out without changes', () => {
    const empty = { ...delta, changes: [] }
    expect(decode([encodeFrame({ type: 'delta', delta: empty })])).toEqual([{ type: 'delta', delta: empty }])
  })

  it('of random bytes are refused', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: FRAME_HEADER_BYTES, maxLength: 200 }),
        (bytes) => refusal(bytes) !== 'read 1',
      ),
    )
  })
})
