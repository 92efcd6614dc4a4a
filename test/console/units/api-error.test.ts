// What the API refused, in words for the person at the page.
import { expect, it } from 'vitest'
import { apiError, describeError } from '../../../console/src/api/api-error.ts'

it('a user without permission gets that message, whether signed in with a key or at an identity provider', () => {
  const message = 'this API key is not allowed to change the facts: it needs access `write`'
  const error = apiError(new Response(null, { status: 403 }), { error_code: 'KEY_TOO_NARROW', message })
  expect(describeError(error)).toMatchObject({
    title: "You don't have permission",
    text: 'You are not allowed to change the facts: it needs access `write`.',
    canRetry: false,
  })
  const other = apiError(new Response(null, { status: 403 }), { message: 'the header `x-csrf-token` is wrong' })
  expect(describeError(other).text).toBe('The header `x-csrf-token` is wrong.')
})
