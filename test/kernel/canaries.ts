// Defects of the kernel: what stands in place of the code behind the tags in assembly.

/** A kernel that takes the first record with the same hash for the one that it looks for. */
export const OF_COLLISIONS = {
  // Of the parts of a key that are hashed as numbers, all but one leave no choice for the last: the whole comparison
  // is taken out.
  'parts-of-a-grant': 'return grant',
  'parts-of-a-membership': 'return member',
  'parts-of-a-set-rule': 'return rule',
  'parts-of-a-tuple': 'return tuple',
  'roles-of-a-role-set': 'return set',
  'index-of-a-group': 'return group',
  'length-of-a-key': 'keyLength(record)',
  'bytes-of-a-key': 'true',
  'length-of-a-text': 'load<u32>(text, Text.Length)',
  'bytes-of-a-text': 'true',
}

/** A kernel that does not look whether an id is the one of something. */
export const OF_UNKNOWN_IDS = {
  'ids-that-nothing-has': 'if (user === 0 || tenant === 0 || permission === 0) return true',
  'permissions-that-are-not-there': '',
}

/** A kernel that is wrong about what has times: at its end, or because it takes what is stored for what is in force. */
export const OF_TIMES = {
  'end-of-times': 'now <= until',
  'answers-without-an-instant': 'true',
  'grants-in-force': 'true',
  'roles-in-force': 'true',
  'one-role-in-force': 'true',
  'roles-of-users-in-force': 'true',
  'tuples-in-force': 'true',
  'belonging-in-force': 'true',
}

/** A kernel that forgets in one part that a user is suspended, or until when. */
export const OF_SUSPENSIONS = {
  'suspended-in-tenants': 'false',
  'suspended-by-relations': 'false',
  'end-of-a-suspension': 'true',
  'suspension-of-the-deleted': 'void 0',
}

/**
 * A kernel that forgets what everybody holds, in tenants or on instances, or takes it for a direct role of the user.
 */
export const OF_EVERYBODY = {
  'everybody-in-tenants': 'false',
  'everybody-at-goals': 'false',
  'direct-roles-of-everybody': 'grant !== 0 || grantOn(query, shared, at) !== 0',
}

/** A kernel that takes what everybody holds for what a user holds where it must not count, or counts it for who is suspended. */
export const OF_EVERYBODY_AS_USERS = {
  'everybody-despite-suspension':
    'isSuspended(query, user) && !holdsIn(query, everybodyAsked(query), tenant, permission)',
  'roles-of-everybody':
    'grantAskedStored(query) !== 0 || field(Header.Everybody) === 0 ? grantAskedStored(query) : findGrantStored(field(Header.Everybody), load<u32>(query, Query.Tenant))',
  'tenants-of-whom':
    'load<u32>(load<u32>(query, Query.User), Principal.Grants) !== 0 || field(Header.Everybody) === 0 ? load<u32>(query, Query.User) : field(Header.Everybody)',
  'tenants-by-everybody':
    'findMember(user, tenant) !== 0 || findGrant(query, user, tenant) !== 0 || (field(Header.Everybody) !== 0 && findGrant(query, field(Header.Everybody), tenant) !== 0)',
}

/** A user set is true by a role on instances that everybody holds (D17). */
export const OF_SIDES_BY_EVERYBODY = {
  'searches-of-role-sides': "import { everybody } from '../policy/everybody'\nimport { goOn } from './rebac'",
  'side-searches-of-everybody': 'everybody()',
}

/** The list of the tenants of a user is counted and filled in two places. */
export const OF_TENANTS_IN_TIME = { 'tenants-in-force': 'true', 'tenants-of-grants-in-force': 'false' }

/** A kernel that looks for a role on instances among the roles in tenants, or gives each search the steps of all. */
export const OF_ROLE_SIDES = {
  'roles-without-tests': 'true',
  'steps-of-all-searches': 'store<u32>(query, 0, Query.RelationSteps); const role = load<u32>(side, Side.Set)',
}
