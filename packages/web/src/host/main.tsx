import { showApp } from "../ui/show-app.tsx"

void showApp(<main className="page" />)
