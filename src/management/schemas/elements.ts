// The login of users into embedded pages in the API: what is sent to /v2/auth/elements_login_as.
import * as t from '../../model/json-schema.ts'

export const ElementsLogin = t.named('ElementsLogin', t.closed({ user_id: t.Text, tenant_id: t.Text }))
export type ElementsLogin = t.Static<typeof ElementsLogin>
