// Signing in with an API key, or saying why a one-time link could not be used.
import '@mantine/core/styles/Anchor.layer.css'
import '@mantine/core/styles/Code.layer.css'
import { Alert, Anchor, Code, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { linkFailure } from '../../api/one-time-link.ts'
import { useDocumentTitle } from '../../components/document-title.ts'
import { SignInForm } from '../../components/sign-in-form.tsx'
import classes from './sign-in-page.module.css'

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const navigate = useNavigate()
  const link = useQuery({ queryKey: ['link'], queryFn: async () => (await linkFailure()) ?? null, staleTime: Infinity })
  useDocumentTitle('Sign in')
  const leave = () => {
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
        <SignInForm onDone={leave} />
        <Text size="xs" c="dimmed">
          The key of an environment is in <Code>keys.json</Code> of the data folder, or in the answer of{' '}
          <Code>zerohop keys create</Code>. It is exchanged for a cookie and not kept in this browser.{' '}
          <Anchor href="/docs" size="xs" underline="always">
            API reference
          </Anchor>
        </Text>
      </div>
    </main>
  )
}
