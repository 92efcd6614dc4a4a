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
  USER_REFUSED: "This account doesn't have access to this console yet.",
  CLAIM_REFUSED:
    "The identity provider didn't send the groups that decide your access. See the server log for details.",
  PROVIDER_FAILED: "The identity provider refused the sign-in or didn't respond. See the server log for details.",
  SESSION_MISSING: 'It took too long, or was started in another browser. Try again.',
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
            {link.data.text} Each link works once, for five minutes. Sign in with an API key instead.
          </Alert>
        )}
        {error !== undefined && (
          <Alert color="yellow" role="alert" title="Couldn't sign you in">
            {FAILURES[error] ?? 'Something went wrong on the server. See the server log for details.'}
          </Alert>
        )}
        <SignInForm onDone={leave} />
        <Text size="xs" c="dimmed">
          Find an environment's key in <code>keys.json</code> in the data folder, or in the output of{' '}
          <code>zerohop keys create</code>. Your browser gets a session cookie and doesn't store the key.{' '}
          <Anchor href="/docs" size="xs" underline="always">
            API reference
          </Anchor>
        </Text>
      </div>
    </main>
  )
}
