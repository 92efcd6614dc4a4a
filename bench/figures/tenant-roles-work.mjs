// The process behind the rows about roles of tenants: two images that differ in nothing but whose the roles are, asked in turn.
import { ReviewCounts } from '../../dist/src/image/access-review/counts.js'
import { loadImage } from '../../dist/src/index.js'
import { serveJob } from '../child.mjs'
import { askAll, measure } from '../interleaved.mjs'
import { median } from '../sampling.mjs'
import { DENIED, ROLES_OF_TENANT, tenantRoleChanges, tenantRoleQuestions } from '../tenant-roles-world.mjs'
import { ENVIRONMENT, FIRST, Image } from '../zerohop-image.mjs'

const NOW = Date.UTC(2026, 0, 1)
const OTHERS = 5

serveJob(async ({ tenants, questions, rounds }, loaded) => {
  const build = (areOwn) => Image.build(ENVIRONMENT, FIRST, tenantRoleChanges({ tenants, areOwn })).save()
  const saved = { ofEnvironment: build(false), own: build(true) }
  loaded()
  const pdps = { ofEnvironment: loadImage(saved.ofEnvironment), own: loadImage(saved.own) }
  const images = { ofEnvironment: Image.load(saved.ofEnvironment), own: Image.load(saved.own) }
  const checks = [true, false].map((isAllowed) => {
    const asked = Object.entries(pdps).map(([of, pdp]) => [
      of,
      askAll(`${of}, ${isAllowed}`, pdp, tenantRoleQuestions({ tenants }, questions, isAllowed)),
    ])
    const { own, ofEnvironment } = measure(asked, rounds)
    const ratio = median(own.map((each, round) => each / ofEnvironment[round]))
    return { isAllowed, ns: (median(own) * 1e6) / questions, ratio }
  })
  const both = (work) => {
    const took = { own: Number.POSITIVE_INFINITY, ofEnvironment: Number.POSITIVE_INFINITY }
    for (let round = 0; round < OTHERS; round++) {
      for (const of of Object.keys(took)) {
        const start = performance.now()
        work(images[of], saved[of])
        took[of] = Math.min(took[of], performance.now() - start)
      }
    }
    return took
  }
  return {
    checks,
    bytes: (saved.own.length - saved.ofEnvironment.length) / (tenants * ROLES_OF_TENANT),
    others: {
      'loading the image': both((_, bytes) => void Image.load(bytes)),
      'explaining a denied check': both((image) => {
        const { near } = image.explainWays(DENIED.user, 'read', 'document', DENIED.tenant).ways
        if (near.in_tenant.count < 3) throw new Error(`${near.in_tenant.count} roles are named`)
      }),
      'counting the users of roles': both((image) => {
        const counts = image.inside((inside) => new ReviewCounts(inside, 'role'), NOW)
        while (image.guardAt(NOW, () => counts.step(4_000_000)));
        const users = counts.ofTenants?.users ?? counts.groups.reduce((sum, group) => sum + group.users, 0)
        if (users !== 2 * tenants || counts.groups.length !== ROLES_OF_TENANT)
          throw new Error(`${users} users of ${counts.groups.length} roles`)
      }),
    },
  }
})
