// Signing in, or saying why a one-time link or the identity provider did not sign in.
import '@mantine/core/styles/Anchor.layer.css'
import { Alert, Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { linkFailure } from '../../api/one-time-link.ts'
import { useDocumentTitle } from '../../components/document-title.ts'
import { SignInForm } from '../../components/sign-in-form.tsx'
import { keepReturnAddress } from '../../shell/return-address.ts'
import classes from './sign-in-page.module.css'

/** By the code of the error. */
const FAILURES: Readonly<Record<string, string>> = {
  USER_REFUSED: 'Nobody has given it access to this console yet.',
  PROVIDER_FAILED: 'The identity provider refused it, or did not answer. The log of the server says why.',
  SESSION_MISSING: 'It took too long, or began in another browser. Try again.',
}

export function SignInPage() {
  const { to, error } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const navigate = useNavigate()
  const link = useQuery({ queryKey: ['link'], queryFn: async () => (await linkFailure()) ?? null, staleTime: Infinity })
  useDocumentTitle('Sign in')
  useEffect(() => keepReturnAddress(to), [to])
  const leave = () => {
    keepReturnAddress(undefined)
    if (to === undefined) void navigate({ to: '/' })
    else router.history.push(router.history.createHref(to))
  }
  return (
    <main className={classes.page}>
      <div className={classes.box}>
        <h1>Sign in to Zerohop</h1>
        {link.data && (
          <Alert color="yellow" role="alert" title={link.data.title}>
            {link.data.text} A new one is printed when the server starts on a new folder; until then an API key works.
          </Alert>
        )}
        {error !== undefined && (
          <Alert color="yellow" role="alert" title="Your account could not be signed in">
            {FAILURES[error] ?? 'The server could not do it. Its log says why.'}
          </Alert>
        )}
        <SignInForm onDone={leave} />
        <Text size="xs" c="dimmed">
          The key of an environment is in <code>keys.json</code> of the data folder, or in the answer of{' '}
          <code>zerohop keys create</code>. It is exchanged for a cookie and not kept in this browser.{' '}
          <Anchor href="/docs" size="xs" underline="always">
            API reference
          </Anchor>
        </Text>
      </div>
    </main>
  )
}
