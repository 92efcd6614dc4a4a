// How a role is given: for how long, and whether to everybody (D16).
import { fields, type StoredFields } from './fields.ts'
import { durationFields } from './times.ts'

export const givingFields = fields({
  ...durationFields,
  everybody: {
    form: 'flag',
    about: 'whether the role may be given to everyone, `*`, also to users who are not signed in; default: false',
  },
})
export type Giving = StoredFields<typeof givingFields>
