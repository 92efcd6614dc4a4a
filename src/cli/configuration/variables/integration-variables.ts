// Variables of the integration backend. The aliases are the names that such backends usually read. docs/operations.md
// is generated from these texts.
import { CLAIM_FORMS } from '../../../oidc/token-use.ts'
import { Address, makeChoice, Origin, Port, Text } from './value-types.ts'
import { variable, withDefault } from './variable.ts'

const ClaimForms = makeChoice(CLAIM_FORMS, '`cognito` or `oidc`')

const INTEGRATION = ['integration'] as const

export const INTEGRATION_VARIABLES = {
  ZEROHOP_INTEGRATION_PORT: withDefault(Port, 8000, {
    about: 'port of the [integration backend](integration.md); 0 picks a free port and prints it',
    readBy: INTEGRATION,
    aliases: ['INTEGRATION_PORT'],
  }),
  ZEROHOP_INTEGRATION_USER_POOL_ID: variable(Text, {
    about: 'Cognito user pool whose tokens are accepted',
    readBy: INTEGRATION,
    aliases: ['USER_POOL_ID'],
  }),
  ZEROHOP_INTEGRATION_CLIENT_ID: variable(Text, {
    about: 'app client that the tokens must be issued for',
    readBy: INTEGRATION,
    aliases: ['CLIENT_ID'],
  }),
  ZEROHOP_INTEGRATION_ISSUER: variable(Address, {
    about: 'issuer of the tokens, for providers other than Cognito',
    readBy: INTEGRATION,
    aliases: ['ISSUER'],
    unset: 'the issuer of the user pool',
  }),
  ZEROHOP_INTEGRATION_JWKS_URI: variable(Address, {
    about: "URL of the provider's public keys; must be https",
    readBy: INTEGRATION,
    aliases: ['JWKS_URI'],
    unset: '`<issuer>/.well-known/jwks.json`',
  }),
  ZEROHOP_INTEGRATION_CLAIMS: withDefault(ClaimForms, 'cognito', {
    about:
      'whose [claims and algorithms](integration.md#any-openid-provider) tokens have: those of Cognito, or of any OpenID provider',
    readBy: INTEGRATION,
  }),
  ZEROHOP_INTEGRATION_AUDIENCE: variable(Text, {
    about: 'with `ZEROHOP_INTEGRATION_CLAIMS=oidc`: audience of access tokens',
    readBy: INTEGRATION,
    unset: 'the client id',
  }),
  ZEROHOP_INTEGRATION_TOKEN: variable(Text, {
    about: 'API key of the environment',
    readBy: INTEGRATION,
    aliases: ['ZEROHOP_TOKEN', 'PERMIT_TOKEN'],
    isSecret: true,
  }),
  ZEROHOP_INTEGRATION_FRONTEND_ORIGIN: variable(Origin, {
    about: 'the only origin whose pages can call the backend',
    readBy: INTEGRATION,
    aliases: ['FRONTEND_ORIGIN'],
  }),
  ZEROHOP_INTEGRATION_API_URL: withDefault(Address, 'http://localhost:8080', {
    about: 'URL of the management API',
    readBy: [...INTEGRATION, 'migrate'],
    aliases: ['API_URL'],
  }),
  ZEROHOP_INTEGRATION_PDP_URL: withDefault(Address, 'http://localhost:7000', {
    about: 'with `--client permitio`: URL of the PDP that the published client calls',
    readBy: INTEGRATION,
    aliases: ['PDP_URL'],
  }),
}
