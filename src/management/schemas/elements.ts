// Sessions of the routes of members in the API: what is sent and answered at /v2/auth/elements_….
import * as t from '../../model/json-schema.ts'
import { Time } from './schema-parts.ts'

export const ElementsLogin = t.named('ElementsLogin', t.closed({ user_id: t.Text, tenant_id: t.Text }))
export type ElementsLogin = t.Static<typeof ElementsLogin>

export const ElementsLoginRead = t.named(
  'ElementsLoginResult',
  t.open({
    redirect_url: t.described(t.Text, 'where the session begins in a browser: below the address of your application'),
    token: t.Text,
    expires_at: Time,
  }),
)

export const ElementsToken = t.named('ElementsToken', t.closed({ token: t.Text }))
export type ElementsToken = t.Static<typeof ElementsToken>

export const ElementsSessionRead = t.named(
  'ElementsSession',
  t.open({
    user: t.described(t.Text, 'key'),
    tenant: t.described(t.Text, 'key'),
    expires_at: Time,
  }),
)
