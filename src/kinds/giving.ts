// How a role is given: for how long, whether to everybody (D16), and whether by the tenants themselves.
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
})
export type Giving = StoredFields<typeof givingFields>
