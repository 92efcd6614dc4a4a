// The login of users into embedded pages in the API: what is sent to /v2/auth/elements_login_as.
import { closed, named, type Static, Text } from '../../model/json-schema.ts'

export const ElementsLogin = named('ElementsLogin', closed({ user_id: Text, tenant_id: Text }))
export type ElementsLogin = Static<typeof ElementsLogin>
