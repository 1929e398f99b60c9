{{/* A path below a folder that may be nothing. */}}
{{- define "patrol-sync.below" -}}
{{- without . "" | join "/" -}}
{{- end -}}

{{- define "patrol-sync.outputFolder" -}}
{{- include "patrol-sync.below" (list "/output" .Values.output.folder) -}}
{{- end -}}

{{/* Paths in the container that options are given: context, command. As JSON; nothing where an option is left out. */}}
{{- define "patrol-sync.paths" -}}
{{- $root := index . 0 -}}
{{- $command := index . 1 -}}
{{- $output := include "patrol-sync.outputFolder" $root -}}
{{- $checklist := $root.Values.output.checklist -}}
{{- if eq $command.suffix "-plan" -}}{{- $checklist = printf "plan-%s" $checklist -}}{{- end -}}
{{- dict
  "token" "/etc/patrol-sync/token"
  "ca" (ternary "/etc/patrol-sync/ca.pem" "" (not (empty $root.Values.site.ca)))
  "bundle" (include "patrol-sync.below" (list "/bundle" $root.Values.bundle.claim.path))
  "checklist" (printf "%s/%s" $output $checklist)
  "plan" (printf "%s/%s" $output $root.Values.output.plan) | toJson -}}
{{- end -}}

{{/* One option with its value: nothing when it is empty or false, several when it is a list. */}}
{{- define "patrol-sync.option" -}}
{{- $option := index . 0 -}}
{{- $value := index . 1 -}}
{{- if kindIs "bool" $value -}}
{{- if $value }}
- {{ $option }}
{{- end -}}
{{- else if kindIs "slice" $value -}}
{{- range $value }}
- {{ include "lib.literal" (printf "%s=%s" $option .) }}
{{- end -}}
{{- else -}}
{{- $text := include "lib.text" $value -}}
{{- if $text }}
- {{ include "lib.literal" (printf "%s=%s" $option $text) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What stands behind the options. */}}
{{- define "patrol-sync.behind" -}}
{{- $root := index . 0 -}}
{{- $takes := (index . 1).takes -}}
{{- $output := include "patrol-sync.outputFolder" $root -}}
{{- if eq $takes "folder" }}
- {{ $output }}
{{- else if eq $takes "file" }}
- {{ $output }}
- {{ $root.Values.output.show | default $root.Values.output.checklist }}
{{- else if $takes -}}
{{- $records := ternary $root.Values.undo.records (list $root.Values.resume.record | compact) (eq $takes "records") -}}
{{- range $records }}
- {{ $output }}/{{ . }}
{{- else }}
- {{ $output }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* All arguments of a command: context, command. */}}
{{- define "patrol-sync.arguments" -}}
{{- $root := index . 0 -}}
{{- $command := index . 1 -}}
{{- $paths := include "patrol-sync.paths" . | fromJson -}}
{{- $found := dict -}}
- --max-old-space-size={{ include "lib.heap" $root }}
- {{ $root.facts.program }}
{{- if $command.dryRun }}
- --dry-run
{{- end }}
{{- range $command.words }}
- {{ . }}
{{- end }}
{{- range $command.options -}}
{{- if .fixed -}}
{{- $_ := set $found "value" (get $paths .fixed) -}}
{{- else -}}
{{- include "lib.at" (list $root.Values .value $found) -}}
{{- end -}}
{{- include "patrol-sync.option" (list .option $found.value) -}}
{{- end -}}
{{- include "patrol-sync.behind" . -}}
{{- end -}}
