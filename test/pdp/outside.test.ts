// What a PDP for clients of the first API version follows besides its environment: its options are those of the PDP beside it.
import { afterEach, describe, expect, it } from 'vitest'
import { Outside } from '../../src/pdp/outside.ts'
import { eventually } from '../support/eventually.ts'
import { World } from '../support/world.ts'
import { ScriptedFeed } from './scripted-feed.ts'

const open: Outside[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

describe('what is outside of environments', () => {
  it.each([true, false])(
    '[D7] refuses ill-typed attributes when it is told to be strict: %s',
    async (strictAttributes) => {
      const world = new World()
      world.runAll([
        ['put', 'resource', { key: '__user', actions: [], attributes: { age: 'number' } }],
        ['put', 'resource', { key: 'doc', actions: ['read'] }],
      ])
      const outside = new Outside({ feed: new ScriptedFeed([...world.contents()]), strictAttributes })
      open.push(outside)
      await eventually(() => outside.refusal, undefined)
      const ask = () => outside.pdp?.check({ key: 'ana', attributes: { age: '7' } }, 'read', 'doc')
      if (strictAttributes) expect(ask).toThrow(expect.objectContaining({ code: 'ATTRIBUTE_ILL_TYPED' }))
      else expect(ask()).toBe(false)
    },
  )
})
