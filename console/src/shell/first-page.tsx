// The address of an environment alone leads to the first page of the navigation.
import { Navigate } from '@tanstack/react-router'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { usePageLinks } from './page-links.ts'

export function FirstPage() {
  const [first] = usePageLinks()
  return first === undefined ? <NotFoundPage /> : <Navigate to={first.to} replace />
}
