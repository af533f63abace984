import { showApp } from "../ui/show-app.tsx"
import { AttendeeApp } from "./attendee-app.tsx"
import "./attendee.css"

void showApp(<AttendeeApp />)
