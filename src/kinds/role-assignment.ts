// A role of a user in a tenant, or on one instance.
import { EVERYBODY } from '../model/keys.ts'
import { DESCRIPTION_LENGTH_MAX, TICKET_LENGTH_MAX } from '../model/limits.ts'
import { assignmentKey, type Stored } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import { fields, own, type StoredFields } from './fields.ts'
import { every, type Kind, roleKeyIn, typeOfInstance } from './kind.ts'
import {
  type Announced,
  instantValues,
  isTimed,
  projectTimes,
  readTimes,
  type TimesPolicy,
  timeFields,
  unannouncedValues,
  writeTimes,
} from './times.ts'
import { invalid, optionalText, text } from './wire-values.ts'

/** Why a role was given. Decisions do not read it, so images do not have it. */
export const noteFields = fields({
  reason: { form: 'note', max: DESCRIPTION_LENGTH_MAX, about: 'why it was given' },
  ticket: { form: 'note', max: TICKET_LENGTH_MAX, about: 'what it was given for, such as the key of an issue' },
})

export const roleAssignmentFields = fields({
  user: own<string>(),
  role: own<string>(),
  tenant: own<string>(),
  /** `type:key`, or null for a role in the tenant */
  /* canary: payload-of-assignments */ resource_instance: own<string | null>(),
  ...timeFields,
  ...noteFields,
})

/**
 * A role of a user in a tenant, or on one instance in it. `key` is `assignmentKey(user, role, tenant,
 * resource_instance)`. On an instance `role` is a role of its resource type, and `tenant` is the tenant of the
 * instance. Its times are those of all of its claims; reason, ticket and origin are of the claim of `hand`.
 */
export interface RoleAssignment extends Stored, StoredFields<typeof roleAssignmentFields>, Announced, Claimed {
  /** `request/ID` of the access request that it comes from; any other write of it takes that away */
  readonly origin?: string
}

/** A role in a tenant, or (`resource_instance`, `type:key`) a role of that type on one instance. */
export interface RoleAssignmentPolicy extends TimesPolicy {
  /** key of a user, or EVERYBODY */
  readonly user: string
  readonly role: string
  readonly tenant: string
  readonly resource_instance?: string | null
}

const onInstance = (instance: string | null): { readonly resource_instance?: string } =>
  instance === null ? {} : { resource_instance: instance }

export const roleAssignment = {
  number: 5,
  newerNumbers: { times: 64, everybody: 71, claims: 82 },
  fields: roleAssignmentFields,
  hasIds: false,
  hasOwnTable: true,
  indexes: {
    every_assignment: every,
    assignments_of_user: ({ user }) => [user],
    /** of a tenant role under its key, of a role on instances under `resource/role` */
    assignments_of_role: ({ role, resource_instance: instance }) => [roleKeyIn(role, instance)],
    assignments_of_tenant: ({ tenant }) => [tenant],
    /** tenant roles only */
    assignments_of_user_in_tenant: ({ user, tenant, resource_instance: instance }) =>
      instance === null ? [`${user}/${tenant}`] : [],
    /** as assignments_of_role, then the tenant */
    assignments_of_role_in_tenant: ({ role, tenant, resource_instance: instance }) => [
      `${roleKeyIn(role, instance)}/${tenant}`,
    ],
    instance_assignments_of_user_in_tenant: ({ user, tenant, resource_instance: instance }) =>
      instance === null ? [] : [`${user}/${tenant}`],
    assignments_of_user_on_instance: ({ user, resource_instance: instance }) =>
      instance === null ? [] : [`${user}/${instance}`],
    /** tenant roles only; says whether a user still stands in users_of_role */
    assignments_of_user_with_role: ({ user, role, resource_instance: instance }) =>
      instance === null ? [`${user}/${role}`] : [],
    assignments_on_instance: ({ resource_instance: instance }) => (instance === null ? [] : [instance]),
    assignments_on_resource: ({ resource_instance: instance }) => (instance === null ? [] : [typeOfInstance(instance)]),
    /** those with an end, in its order */
    assignments_by_end: ({ valid_until: until }) => instantValues(until),
    /** those with an end that is not announced, in its order */
    assignments_unannounced: unannouncedValues,
    /** those with a beginning, in its order */
    assignments_by_start: ({ valid_from: from }) => instantValues(from),
    /** as assignments_by_end, in each tenant */
    assignments_of_tenant_by_end: ({ tenant, valid_until: until }) => instantValues(until, `${tenant}/`),
    /** those with a ticket */
    assignments_of_ticket: ({ ticket }) => (ticket === undefined ? [] : [ticket]),
    /** those of everybody, as assignments_of_role */
    assignments_of_everybody: ({ user, role, resource_instance: instance }) =>
      user === EVERYBODY ? [roleKeyIn(role, instance)] : [],
    /** those with a beginning or an end */
    timed_assignments_of_user: ({ user, ...times }) => (isTimed(projectTimes(times)) ? [user] : []),
    assignments_claimed: (assignment) => claimedValues('role_assignment', assignment),
  },
  projection: {
    code: 5,
    newer: [
      { code: 16, isNeeded: ({ user }) => user === EVERYBODY },
      { code: 13, isNeeded: isTimed },
    ],
    project: ({ user, role, tenant, resource_instance: instance, ...times }) => ({
      user,
      role,
      tenant,
      ...onInstance(instance),
      ...projectTimes(times),
    }),
    write: (value) => {
      const { user, role, tenant, resource_instance: instance = null } = value
      if (isTimed(value)) return [user, role, tenant, instance, ...writeTimes(value)]
      return instance === null ? [user, role, tenant] : [user, role, tenant, instance]
    },
    read: (fields) => {
      const user = text(fields[1])
      const role = text(fields[2])
      const tenant = text(fields[3])
      const instance = optionalText(fields[4])
      const times = fields[0] === 13 || (fields[0] === 16 && fields.length > 5) ? readTimes(fields[5], fields[6]) : {}
      if ((fields[0] === 16) !== (user === EVERYBODY)) throw invalid(`change code ${fields[0]} has another user`)
      const value = { user, role, tenant, ...onInstance(instance), ...times }
      return { op: 'put', kind: 'role_assignment', key: assignmentKey(user, role, tenant, instance), value }
    },
  },
  inFiles: { section: 'role_assignments', isFact: true, key: 'connects' },
} as const satisfies Kind<'role_assignment', RoleAssignment, RoleAssignmentPolicy>
