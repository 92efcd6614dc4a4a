// How far PDPs are behind, as the metrics of the management API say it.
import { expect, it, vi } from 'vitest'
import { followersLag } from '../../src/management/objects/pdp-lag.ts'
import { PdpRegistry } from '../../src/management/objects/pdp-registry.ts'
import { openManagement } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

it('the lag counts PDPs that are behind for too long, those that are away, and the revisions that the last one lacks', async () => {
  const { store, organization } = await openManagement({ data: temporaryFolder('lag') })
  const environment = store.view(organization).require('environment', 'default/development').id
  const { revision } = store.head(environment)
  const registry = new PdpRegistry({ now: () => Date.now() })
  const who = (instance: string, applied: number) => ({
    instance,
    name: instance,
    version: '1',
    apiVersion: 4,
    applied,
  })
  registry.opened(environment, who('current', revision), () => revision)
  expect(followersLag(store, registry, Date.now())).toEqual({ behind: 0, away: 0, revisions: 0 })
  registry.opened(environment, who('late', 0), () => revision)
  // it has just been written: the PDP has not had the time to say that it has it
  expect(followersLag(store, registry, Date.now())).toEqual({ behind: 0, away: 0, revisions: revision })
  const gone = registry.opened(environment, who('gone', revision), () => revision)
  gone()
  const now = Date.now() + 31_000
  vi.spyOn(Date, 'now').mockReturnValue(now)
  expect(followersLag(store, registry, Date.now())).toEqual({ behind: 1, away: 1, revisions: revision })
  expect(followersLag(store, registry, Date.now(), environment)).toEqual({ behind: 1, away: 1, revisions: revision })
  expect(followersLag(store, registry, Date.now(), 'f'.repeat(32))).toEqual({ behind: 0, away: 0, revisions: 0 })
  vi.restoreAllMocks()
  await store.close()
})
