// What is answered where no one is signed in (D16), beside what is answered about a key that no user has: the same to every
// question of the library. And libraries that are wrong about it in one point.
import { isZerohopError } from '../../src/model/errors.ts'
import type { FixedImage } from '../../src/pdp/fixed-image.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import type { User } from '../../src/pdp/request.ts'
import type { Request } from '../reference/request.ts'
import { toCheck } from '../support/doors/library.ts'
import { type Drawn, makeSituation } from './filter-law.ts'
import { numbers } from './numbers.ts'
import { MIDNIGHT } from './values.ts'

/** A key that no world of these tests gives to a user. */
const UNKNOWN = 'who-is-not-there'

/** The library that is asked. */
export interface Library {
  readonly Pdp: typeof Pdp
  readonly FixedImage: typeof FixedImage
}

/** A library that is wrong about who is not signed in, by what stands in place of `findUserKey`. */
export const OF_NO_ONE: Readonly<Record<string, (code: string) => string>> = {
  'takes undefined for null': (code) => code.replace('=== null', '== null'),
  'asks about a user instead': (code) => code.replace('EVERYBODY', "'ana'"),
}

type Question = (user: User) => unknown

/** Every form of the question, and every listing about it. */
function listForms(pdp: Pdp, request: Request): Readonly<Record<string, Question>> {
  const { action, resource, context } = toCheck(request)
  const { type, key, tenant } = request.resource
  const tenants = [tenant ?? 'default']
  const about = key === undefined ? type : `${type}:${key}`
  const explained = ({ rebac, abac, code, because }: ReturnType<Pdp['explain']>) => ({ rebac, abac, code, because })
  return {
    check: (user) => pdp.check(user, action, resource, context),
    'check by texts': (user) => pdp.check(user, request.action, about),
    'check of the type': (user) => pdp.check(user, request.action, { type, tenant: tenants[0]! }),
    'check without attributes': (user) => pdp.checkWithoutAttributes(user, request.action, { type }),
    'bulk check': (user) => pdp.bulkCheck([{ user, action, resource, context: context ?? null }]),
    subject: (user) => pdp.subject(user, { tenant: tenant ?? null }).can(request.action, about),
    permission: (user) =>
      pdp.permission(request.action, type).allows(user, { tenant: tenant ?? null, key: key ?? null }),
    explain: (user) => explained(pdp.explain(user, action, resource, context)),
    why: (user) => pdp.why(user, action, resource, context).allow,
    filter: (user) => pdp.filter(user, action, type, { tenant: tenants[0]!, context: context ?? null }),
    snapshot: (user) => {
      const { user: _, etag: __, ...content } = pdp.snapshot(user, { tenants, types: [type] })
      return content
    },
    'tenants of a snapshot': (user) => pdp.snapshot(user).tenants,
    permissions: (user) => pdp.userPermissions(user, null, context),
    'permissions in a tenant': (user) => pdp.userPermissions(user, { tenants }, context),
    'permissions on an instance': (user) => pdp.userPermissions(user, { resources: [about] }, context),
    'permissions in pages': (user) => pdp.userPermissionsPage(user, { tenants, limit: 2 }, context),
    instances: (user) => pdp.resources(user, action, type, { context: context ?? null }),
    actions: (user) => pdp.actions(user, resource, context),
    tenants: (user) => pdp.tenants(user, action, resource, context),
    'tenants of the user': (user) => pdp.userTenants(user),
    known: (user) => pdp.knows(user),
  }
}

/** What the question is answered, or the code of its error. */
function findAnswer(question: Question, user: User): unknown {
  try {
    return question(user)
  } catch (error) {
    if (isZerohopError(error)) return error.code
    throw error
  }
}

/** Counts over all worlds, so that a run can say what it did. */
export class Tally {
  forms = 0
  allowed = 0
}

/** The first form of a question that is answered otherwise about no one than it should be; undefined without one. */
export function findDifference(library: Library, drawn: Drawn, tally = new Tally()): string | undefined {
  const { image, requests } = makeSituation(drawn, numbers(drawn.seed))
  const pdp = new library.Pdp(new library.FixedImage(image))
  const asked = 'times' in drawn || 'history' in drawn ? pdp.at(MIDNIGHT) : pdp
  for (const request of requests) {
    const { user: _, ...sent } = request.sent ?? {} // no one has attributes
    const forms = listForms(asked, { ...request, sent })
    for (const [name, question] of Object.entries(forms)) {
      const [none, unknown] = [findAnswer(question, null), findAnswer(question, UNKNOWN)].map((each) =>
        JSON.stringify(each),
      )
      if (none !== unknown) return `${name} of ${JSON.stringify(request)}: ${none}, and not ${unknown}`
      const left = findAnswer(question, undefined as unknown as User)
      // undefined: it is left to `check`
      if (left !== 'INPUT_INVALID' && left !== undefined)
        return `${name} of ${JSON.stringify(request)} without a user: ${JSON.stringify(left)}`
      tally.forms++
      if (none === 'true') tally.allowed++
    }
  }
  return undefined
}
