// The form of tokens that five providers send, from their public documentation, with the claims replaced. What matters is
// the names and types of the claims, and the header: `typ` and the audience differ most.

const TIMES = { iat: 0, exp: 0 } // set by the test

export interface Shape {
  readonly provider: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  /** who the token is for */
  readonly audience: string
  readonly use: 'id' | 'access'
  /** where the groups are */
  readonly groups?: string | readonly [string, ...string[]]
}

export const SHAPES: readonly Shape[] = [
  {
    provider: 'Auth0', // auth0.com/docs/secure/tokens/access-tokens/access-token-profiles (Auth0 profile)
    use: 'access',
    audience: 'https://api.example.com',
    header: { alg: 'RS256', typ: 'JWT', kid: 'one' },
    claims: {
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      aud: ['https://api.example.com', 'https://acme.eu.auth0.com/userinfo'],
      ...TIMES,
      azp: 'my_client_id',
      scope: 'openid profile read:shop',
      'https://example.com/groups': ['editors'],
    },
    groups: 'https://example.com/groups',
  },
  {
    provider: 'Auth0', // the profile of RFC 9068
    use: 'access',
    audience: 'https://api.example.com',
    header: { alg: 'RS256', typ: 'at+jwt', kid: 'one' },
    claims: {
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      aud: 'https://api.example.com',
      ...TIMES,
      jti: 'jti-1',
      client_id: 'my_client_id',
      scope: 'read:shop',
    },
  },
  {
    provider: 'Auth0', // auth0.com/docs/secure/tokens/id-tokens/id-token-structure
    use: 'id',
    audience: 'my_client_id',
    header: { alg: 'RS256', typ: 'JWT', kid: 'one' },
    claims: {
      nickname: 'ana',
      name: 'Ana',
      email: 'ana@example.com',
      email_verified: true,
      sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
      aud: 'my_client_id',
      ...TIMES,
      nonce: 'n',
      sid: 's',
    },
  },
  {
    provider: 'Entra', // learn.microsoft.com/entra/identity-platform/access-token-claims-reference (v2.0)
    use: 'access',
    audience: '00001111-aaaa-2222-bbbb-3333cccc4444',
    header: { typ: 'JWT', alg: 'RS256', kid: 'one' },
    claims: {
      aud: '00001111-aaaa-2222-bbbb-3333cccc4444',
      ...TIMES,
      aio: 'AXQAi/8IAAAA',
      azp: '11112222-bbbb-3333-cccc-4444dddd5555',
      azpacr: '0',
      groups: ['22223333-cccc-4444-dddd-5555eeee6666'],
      name: 'Ana',
      oid: '33334444-dddd-5555-eeee-6666ffff7777',
      preferred_username: 'ana@example.com',
      rh: '0.x',
      scp: 'access_as_user',
      sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
      tid: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
      uti: 'fqiBqXLPj0eQa82S-IYFAA',
      ver: '2.0',
    },
    groups: 'groups',
  },
  {
    provider: 'Entra', // learn.microsoft.com/entra/identity-platform/id-token-claims-reference (v2.0)
    use: 'id',
    audience: '00001111-aaaa-2222-bbbb-3333cccc4444',
    header: { typ: 'JWT', alg: 'RS256', kid: 'one' },
    claims: {
      ver: '2.0',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      aud: '00001111-aaaa-2222-bbbb-3333cccc4444',
      ...TIMES,
      name: 'Ana',
      preferred_username: 'ana@example.com',
      oid: '33334444-dddd-5555-eeee-6666ffff7777',
      tid: 'aaaabbbb-0000-cccc-1111-dddd2222eeee',
      nonce: '123523',
      aio: 'Df2UVXL1ix',
      roles: ['editors'],
    },
    groups: 'roles',
  },
  {
    provider: 'Keycloak', // www.keycloak.org/docs/latest/server_admin (mappers of groups, realm roles and audience)
    use: 'access',
    audience: 'shop-api',
    header: { alg: 'RS256', typ: 'JWT', kid: 'one' },
    claims: {
      ...TIMES,
      auth_time: 0,
      jti: 'onrtac:1',
      aud: ['shop-api', 'account'],
      sub: '4f1f2a4e-5b8e-4b7e-9d4e-0d1e2f3a4b5c',
      typ: 'Bearer',
      azp: 'shop-web',
      sid: 's',
      acr: '1',
      'allowed-origins': ['https://shop.example.com'],
      realm_access: { roles: ['editors', 'offline_access'] },
      resource_access: { account: { roles: ['view-profile'] } },
      scope: 'openid email profile',
      email_verified: true,
      preferred_username: 'ana',
    },
    groups: ['realm_access', 'roles'],
  },
  {
    provider: 'Keycloak',
    use: 'id',
    audience: 'shop-web',
    header: { alg: 'RS256', typ: 'JWT', kid: 'one' },
    claims: {
      ...TIMES,
      auth_time: 0,
      jti: 'j',
      aud: 'shop-web',
      sub: '4f1f2a4e-5b8e-4b7e-9d4e-0d1e2f3a4b5c',
      typ: 'ID',
      azp: 'shop-web',
      nonce: 'n',
      sid: 's',
      at_hash: 'h',
      acr: '1',
      groups: ['/editors'],
    },
    groups: 'groups',
  },
  {
    provider: 'Zitadel', // zitadel.com/docs/apis/openidoauth/claims (access token as JWT)
    use: 'access',
    audience: '69234237810729019',
    header: { alg: 'RS256', kid: 'one', typ: 'JWT' },
    claims: {
      aud: ['69234237810729019', '69234237810729234@shop', '77776025198584418'],
      ...TIMES,
      nbf: 0,
      jti: '69234237813329048',
      sub: '77776025198584418',
      client_id: '69234237810729234@shop',
      groups: ['editors'], // by an action: the claim of roles is an object, see attacks.test.ts
      'urn:zitadel:iam:org:project:roles': { editors: { '37389352293': 'acme.zitadel.cloud' } },
    },
    groups: 'groups',
  },
  {
    provider: 'Zitadel', // several audiences; azp says who asked
    use: 'id',
    audience: '69234237810729234@shop',
    header: { alg: 'RS256', kid: 'one', typ: 'JWT' },
    claims: {
      aud: ['69234237810729234@shop', '69234237810729019'],
      ...TIMES,
      auth_time: 0,
      azp: '69234237810729234@shop',
      client_id: '69234237810729234@shop',
      at_hash: 'h',
      c_hash: 'h',
      amr: ['pwd'],
      nonce: 'n',
      sub: '77776025198584418',
    },
  },
]

/** docs.aws.amazon.com/cognito: their audience is in `client_id`, and `token_use` says what they are. */
export const COGNITO: readonly Shape[] = [
  {
    provider: 'Cognito',
    use: 'access',
    audience: '1example23456789',
    header: { kid: 'one', alg: 'RS256' },
    claims: {
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      'cognito:groups': ['editors'],
      origin_jti: 'o',
      event_id: 'e',
      token_use: 'access',
      scope: 'aws.cognito.signin.user.admin',
      auth_time: 0,
      ...TIMES,
      jti: 'j',
      version: 2,
      client_id: '1example23456789',
      username: 'ana',
    },
    groups: 'cognito:groups',
  },
  {
    provider: 'Cognito',
    use: 'id',
    audience: '1example23456789',
    header: { kid: 'one', alg: 'RS256' },
    claims: {
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      'cognito:groups': ['editors'],
      email_verified: true,
      'cognito:username': 'ana',
      origin_jti: 'o',
      aud: '1example23456789',
      event_id: 'e',
      token_use: 'id',
      auth_time: 0,
      ...TIMES,
      jti: 'j',
      email: 'ana@example.com',
    },
    groups: 'cognito:groups',
  },
]
