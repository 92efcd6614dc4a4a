// What the header of an image contains: whose it is, its revision, and counts. assembly/abi.ts draws the header.
import { Header } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LogId, Position } from '../../log/change.ts'

export const imageEnvironment = (kernel: Kernel): LogId =>
  Buffer.from(kernel.headerBytes(Header.Environment, 16)).toString('hex')

export function writeEnvironment(kernel: Kernel, environment: LogId): void {
  kernel.headerBytes(Header.Environment, 16).set(Buffer.from(environment, 'hex'))
}

export function imagePosition(kernel: Kernel): Position {
  const revision = kernel.field(Header.RevisionHigh) * 2 ** 32 + kernel.field(Header.RevisionLow)
  return { revision, chain: Buffer.from(kernel.headerBytes(Header.Chain, 32)).toString('hex') }
}

export function writePosition(kernel: Kernel, { revision, chain }: Position): void {
  kernel.setField(Header.RevisionLow, revision >>> 0)
  kernel.setField(Header.RevisionHigh, Math.floor(revision / 2 ** 32))
  kernel.headerBytes(Header.Chain, 32).set(Buffer.from(chain, 'hex'))
}

/** The resource that declares the attributes of users; 0 until it was there. */
export const userType = (kernel: Kernel): number => kernel.field(Header.UserType)
export const setUserType = (kernel: Kernel, resource: number): void => kernel.setField(Header.UserType, resource)
/** The same for tenants. */
export const tenantType = (kernel: Kernel): number => kernel.field(Header.TenantType)
export const setTenantType = (kernel: Kernel, resource: number): void => kernel.setField(Header.TenantType, resource)

/** Whether a role of a grant has times (D15). */
export const hasTimedRoles = (kernel: Kernel): boolean => kernel.field(Header.TimedRoles) !== 0
/** Whether a tuple has. */
export const hasTimedTuples = (kernel: Kernel): boolean => kernel.field(Header.TimedTuples) !== 0
/** Whether a suspension has (D16). */
export const hasTimedSuspensions = (kernel: Kernel): boolean => kernel.field(Header.TimedSuspensions) !== 0
/** Whether an answer may depend on the instant of its question, besides `context.now`. */
export const hasTimes = (kernel: Kernel): boolean =>
  hasTimedRoles(kernel) || hasTimedTuples(kernel) || hasTimedSuspensions(kernel)

/** The roles that are live: in tenants, those of tenants (D18) too, and on instances. */
export const countRoles = (kernel: Kernel): number => kernel.field(Header.Roles)
/** The tenants that are live. */
export const countTenants = (kernel: Kernel): number => kernel.field(Header.Tenants)
export const hasSetRules = (kernel: Kernel): boolean => kernel.field(Header.SetRules) !== 0
/** The highest permission id given so far. */
export const permissionTop = (kernel: Kernel): number => kernel.field(Header.PermissionTop)
/** The highest number of an attribute path given so far. */
export const pathTop = (kernel: Kernel): number => kernel.field(Header.PathTop)

/** Counts of what lives in an image, and its bytes that nothing uses. */
export function imageCounts(kernel: Kernel) {
  const field = (at: Header): number => kernel.field(at)
  return {
    garbageBytes: field(Header.Free) + field(Header.Dead),
    users: field(Header.Users),
    tenants: field(Header.Tenants),
    roles: field(Header.Roles),
    resources: field(Header.Resources),
    permissions: field(Header.Permissions) - field(Header.RolesAsSets),
    instances: field(Header.Instances),
    tuples: field(Header.Tuples),
    conditionSets: field(Header.Sets),
    setRules: field(Header.SetRules),
    grants: field(Header.Grants),
    assignments: field(Header.Assignments),
    timedRoles: field(Header.TimedRoles),
    timedTuples: field(Header.TimedTuples),
  }
}
