import { showApp } from "../ui/show-app.tsx"
import { OpsApp } from "./ops-app.tsx"

void showApp(<OpsApp />)
