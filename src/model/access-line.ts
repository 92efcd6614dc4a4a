// One line of an access review: what one user has, and by what. docs/access-review.md defines which lines there are.
import type { AccessSource } from './access-diff.ts'

export interface AccessLine {
  readonly user: string
  /** null: in every tenant */
  readonly tenant: string | null
  /** a resource type */
  readonly resource: string | null
  /** null: the type, and with it all of its instances in the tenant */
  readonly resource_instance: string | null
  readonly action: string | null
  /**
   * `allowed` with nothing sent but the time; `conditional`: only where `when` is true of what is sent with the
   * question, or stored of the resource; `undecided`: a check ends with an error; `incomplete`: the user has more than
   * is listed; `scheduled`, `ended`: the role is assigned, and gives nothing now, which is listed when it is asked for
   */
  readonly access: 'allowed' | 'conditional' | 'undecided' | 'incomplete' | 'scheduled' | 'ended'
  readonly source: AccessSource | null
  /** of a role on an instance: it follows over relations, and is not assigned there */
  readonly derived: boolean
  /** the conditions of a set rule over what is sent, as text */
  readonly when: string | null
  /**
   * of a role that is assigned for a time, in ms since 1970; a role that follows over relations ends with the first of what
   * it follows from, by the way that ends last
   */
  readonly valid_from?: number
  readonly valid_until?: number
}

/** What lines are about; absent: everything. */
export interface AccessFilter {
  readonly user?: string | undefined
  /** a role in tenants, or `type#role` */
  readonly role?: string | undefined
  readonly resource?: string | undefined
  /** a key of the resource: what counts on that instance */
  readonly instance?: string | undefined
  readonly action?: string | undefined
  readonly tenant?: string | undefined
  /** roles as they are assigned, in this state; absent: what is in force, and all that it gives */
  readonly state?: 'in_force' | 'scheduled' | 'ended' | undefined
}
