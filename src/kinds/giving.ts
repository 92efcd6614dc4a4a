// How a role is given: for how long, whether to everybody (D16), whether by the tenants themselves, and who may ask for it
// (docs/access-requests.md).
import { fields, type StoredFields } from './fields.ts'
import { durationFields } from './times.ts'

export const givingFields = fields({
  ...durationFields,
  everybody: {
    form: 'flag',
    about: 'whether the role may be given to everyone, `*`, also to users who are not signed in; default: false',
  },
  assignable_by_tenants: {
    form: 'flag',
    about: 'whether the API key of a tenant may assign the role in its tenant; default: false',
  },
  requestable: {
    form: 'requestable',
    about: 'which users can request the role for a time, and who approves; default: none',
  },
})
export type Giving = StoredFields<typeof givingFields>

/** How a role in tenants is given (D18). */
export const roleGivingFields = fields({
  ...givingFields,
  extendable: {
    form: 'flag',
    about: 'whether roles of tenants may extend the role: that offers all that it has and will have; default: false',
  },
})
export type RoleGiving = StoredFields<typeof roleGivingFields>
