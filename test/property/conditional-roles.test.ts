// The law of roles under a condition (D17) on small environments that are full of them; and that it finds an image or a
// kernel that is wrong about them in one point.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { OF_ROLE_SIDES } from '../kernel/canaries.ts'
import { kernelWith } from '../support/canary-kernel.ts'
import { importWith } from '../support/canary-module.ts'
import { drawHolders, findDisagreement, isTold, OF_HOLDERS, WRONG_ROLES } from './conditional-roles.ts'
import { scaled } from './seed.ts'

const worlds = Array.from({ length: scaled(160) }, (_, seed) => drawHolders(seed))

describe('[D17] an image', () => {
  it('says in checks and listings what is defined, whoever holds which role where', () => {
    for (const [seed, world] of worlds.entries())
      expect([seed, findDisagreement(Image, world)]).toEqual([seed, undefined])
  })
})

describe('the law finds', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-canaries-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(Object.entries(WRONG_ROLES))('a definition in which %s', (_, wrong) => {
    expect(worlds.some((world) => isTold(wrong, world))).toBe(true)
  })

  it('a kernel that looks for the role among those in tenants', async () => {
    const kernel = await kernelWith({ 'roles-without-tests': OF_ROLE_SIDES['roles-without-tests'] })
    expect(worlds.some((world) => findDisagreement(Image, world, kernel) !== undefined)).toBe(true)
  })

  it.each(Object.entries(OF_HOLDERS))('an image that forgets %s', async (tag, replacement) => {
    const module = await importWith<{ Image: typeof Image }>({ [tag]: replacement }, 'src/image/image.ts', folder)
    expect(worlds.some((world) => findDisagreement(module.Image, world) !== undefined)).toBe(true)
  })
})
