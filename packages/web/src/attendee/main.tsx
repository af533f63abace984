import { afterProviderSignIn } from "../api/provider-sign-in.ts"
import { showApp } from "../ui/show-app.tsx"
import { AttendeeApp } from "./attendee-app.tsx"
import "./attendee.css"

const next = afterProviderSignIn()
if (next === undefined) void showApp(<AttendeeApp />)
else location.replace(next)
