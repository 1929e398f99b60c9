{{/* What the operator sees, and says about it. */}}
{{- define "operator.watchRules" -}}
- apiGroups: [ranger-relay.dev]
  resources: [patrolsyncs, patrolsyncrollbacks]
  verbs: [list, watch]
- apiGroups: [ranger-relay.dev]
  resources: [patrolsyncs/status, patrolsyncrollbacks/status]
  verbs: [patch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch]
- apiGroups: ['']
  resources: [pods]
  verbs: [list, watch]
{{- end -}}

{{/* What it does where it works. */}}
{{- define "operator.workRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [create, patch, delete]
- apiGroups: ['']
  resources: [secrets]
  verbs: [get]
- apiGroups: ['']
  resources: [events]
  verbs: [create, patch]
{{- end -}}

{{/* Namespaces in which the operator works, as a list in JSON; empty for all of them. */}}
{{- define "operator.namespaces" -}}
{{- $named := .Values.watchNamespaces | default (list .Release.Namespace) | uniq -}}
{{- ternary list $named .Values.allNamespaces | toJson -}}
{{- end -}}

{{/* Who has the rights: kind of the role, its name. */}}
{{- define "operator.binding" -}}
{{- $root := index . 0 -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 1 }}
  name: {{ index . 2 }}
subjects:
  - kind: ServiceAccount
    name: {{ include "lib.accountName" $root }}
    namespace: {{ $root.Release.Namespace }}
{{- end -}}

{{/* A role and its binding: context, namespace or nothing for the cluster, rules. */}}
{{- define "operator.role" -}}
{{- $root := index . 0 -}}
{{- $namespace := index . 1 -}}
{{- $kind := ternary "Role" "ClusterRole" (not (empty $namespace)) -}}
{{- $name := include "lib.fullname" $root -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  {{- include "operator.clusterMetadata" (list $root $name dict dict) | nindent 2 }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
rules:
  {{- index . 2 | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  {{- include "operator.clusterMetadata" (list $root $name dict dict) | nindent 2 }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
{{ include "operator.binding" (list $root $kind $name) }}
{{- end -}}

{{/* Several namespaces are watched as one cluster; what touches Secrets and Jobs stays in those that are named. */}}
{{- define "operator.rights" -}}
{{- $name := include "lib.fullname" . -}}
{{- $namespaces := include "operator.namespaces" . | fromJsonArray -}}
{{- $watch := include "operator.watchRules" . -}}
{{- $work := include "operator.workRules" . -}}
{{- if ne (len $namespaces) 1 }}
{{- $rules := ternary (printf "%s\n%s" $watch $work) $watch (empty $namespaces) }}
{{ include "operator.role" (list . "" $rules) }}
---
{{- end }}
{{- range $namespaces }}
{{- $rules := ternary (printf "%s\n%s" $watch $work) $work (eq (len $namespaces) 1) }}
{{ include "operator.role" (list $ . $rules) }}
---
{{- end }}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "lib.metadata" (list . "-leases" dict dict) | nindent 2 }}
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [get, list, watch, create, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "lib.metadata" (list . "-leases" dict dict) | nindent 2 }}
{{ include "operator.binding" (list . "Role" (printf "%s-leases" $name)) }}
{{- end -}}

{{/* What people may do with the objects, added to the roles that they have already: view, edit, admin. */}}
{{- define "operator.people" -}}
{{- $aggregate := "rbac.authorization.k8s.io/aggregate-to-%s" -}}
{{- $roles := list (dict "end" "-viewer" "to" (list "view" "edit" "admin") "verbs" (list "get" "list" "watch")) (dict "end" "-editor" "to" (list "edit" "admin") "verbs" (list "create" "update" "patch" "delete" "deletecollection")) -}}
{{- range $roles }}
{{- $labels := dict -}}
{{- range .to }}{{- $_ := set $labels (printf $aggregate .) "true" }}{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  {{- include "operator.clusterMetadata" (list $ (printf "%s%s" (include "lib.fullname" $) .end) $labels dict) | nindent 2 }}
rules:
  - apiGroups: [ranger-relay.dev]
    resources: [patrolsyncs, patrolsyncrollbacks]
    verbs:
      {{- toYaml .verbs | nindent 6 }}
{{- end }}
{{- end -}}
